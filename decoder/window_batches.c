// SPDX-License-Identifier: MIT
#include "decoder/window_batches.h"

#include <math.h>
#include <stdlib.h>

#define GOLDEN 0.6180339887498949 /* its multiples are spread as evenly as can be */

/* Cuts the windows into as many pieces as there are batches. */
static void cut_run(size_t windows, uint8_t *batch)
{
	for (size_t i = 0; i < windows; i++)
		batch[i] = (uint8_t)(i * TD_BATCHES / windows);
}

/* all[functions]: how many windows open in each; met[functions]: 0. */
static void cut_functions(const struct td_separate_input *input, const size_t *all,
			  size_t *met, uint8_t *batch)
{
	for (size_t i = 0; i < input->windows; i++) {
		uint32_t f = input->window[i].open;
		double rank = (double)met[f]++ + fmod(f * GOLDEN, 1);

		batch[i] = (uint8_t)(rank * TD_BATCHES / (double)all[f]);
	}
}

uint8_t *td_batches_deal(const struct td_separate_input *input)
{
	uint8_t *batch = malloc(input->windows + 1);
	size_t *all = calloc(2 * input->functions + 1, sizeof(*all));

	if (!batch || !all) {
		free(batch);
		free(all);
		return NULL;
	}
	for (size_t i = 0; i < input->windows; i++)
		all[input->window[i].open]++;
	if (input->together > 1 && !input->shuffled)
		cut_run(input->windows, batch);
	else
		cut_functions(input, all, all + input->functions, batch);
	free(all);
	return batch;
}
