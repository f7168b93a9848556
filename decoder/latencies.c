// SPDX-License-Identifier: MIT
#include "decoder/latencies.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>

#include "decoder/student.h"

void td_latencies_add(struct td_latencies *into, const struct td_latencies *from)
{
	into->records += from->records;
	td_sum_add(&into->sum, &from->sum);
}

const char *td_latencies_event(const struct td_file_header *header)
{
	for (uint64_t i = 0; i < header->events; i++)
		if (header->event[i].group == TD_GROUP_LATENCY)
			return header->event[i].name;
	return NULL;
}

int td_latencies_mean(const struct td_latencies *latencies, struct td_estimate *mean)
{
	double n = (double)latencies->records, sum = (double)latencies->sum.sum;
	double variance, half;

	if (!latencies->records)
		return 0;
	*mean = (struct td_estimate){sum / n, 0, INFINITY};
	if (latencies->records < 2)
		return 1;
	variance = fmax(0, latencies->sum.squares - sum * sum / n) / (n - 1);
	half = td_student_quantile(n - 1 < UINT_MAX ? (unsigned)(n - 1) : UINT_MAX) *
	       sqrt(variance / n);
	mean->low = fmax(0, mean->value - half);
	mean->high = mean->value + half;
	return 1;
}
