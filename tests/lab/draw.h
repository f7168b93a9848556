/* SPDX-License-Identifier: MIT */
/* How a function of the lab behaves, by chance; the same of one `state`. */
#ifndef LAB_DRAW_H
#define LAB_DRAW_H

#include <math.h>

#include "truth.h"

static inline double lab_draw_unit(uint64_t *state)
{
	return (lab_random_below(state, 1u << 30) + 0.5) / (1u << 30);
}

static inline double lab_draw_between(uint64_t *state, double low, double high)
{
	return low * pow(high / low, lab_draw_unit(state));
}

/* Any point of level 1 is as likely as any other; level 2 is any part of its parent. */
static inline void lab_draw_mix(uint64_t *state, struct labpmu_mix *mix)
{
	double part[4], sum = 0;

	for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		sum += part[i] = -log(lab_draw_unit(state));
	mix->retiring = (unsigned)(10000 * part[0] / sum);
	mix->bad = (unsigned)(10000 * part[1] / sum);
	mix->fe = (unsigned)(10000 * part[2] / sum);
	mix->be = 10000 - mix->retiring - mix->bad - mix->fe;
	mix->heavy = (unsigned)(mix->retiring * lab_draw_unit(state));
	mix->brmis = (unsigned)(mix->bad * lab_draw_unit(state));
	mix->fetchlat = (unsigned)(mix->fe * lab_draw_unit(state));
	mix->mem = (unsigned)(mix->be * lab_draw_unit(state));
}

#endif
