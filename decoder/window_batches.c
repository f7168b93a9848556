// SPDX-License-Identifier: MIT
#include "decoder/window_batches.h"

#include <math.h>
#include <stdlib.h>

#define GOLDEN 0.6180339887498949 /* its multiples are spread as evenly as can be */

uint8_t *td_batches_deal(const struct td_separate_input *input)
{
	uint8_t *batch = malloc(input->windows + 1);
	size_t *all = calloc(2 * input->functions + 1, sizeof(*all));
	size_t *met = all + input->functions;

	if (!batch || !all) {
		free(batch);
		free(all);
		return NULL;
	}
	for (size_t i = 0; i < input->windows; i++)
		all[input->window[i].open]++;
	for (size_t i = 0; i < input->windows; i++) {
		uint32_t f = input->window[i].open;
		double rank = (double)met[f]++ + fmod(f * GOLDEN, 1);

		batch[i] = (uint8_t)(rank * TD_BATCHES / (double)all[f]);
	}
	free(all);
	return batch;
}
