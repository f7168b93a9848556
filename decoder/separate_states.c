// SPDX-License-Identifier: MIT
#include "decoder/separate_states.h"

#include <math.h>

#include "decoder/jackknife.h"
#include "decoder/separate_state.h"

#define WINDOWS_FEWEST 5
#define BESIDE_MOST 8 /* times reading: pieces that are all on one line */
#define MET_BOTH 10   /* windows: fewer may all have met one state */
#define VARIES                                                                           \
	0.35       /* of what own windows are beside the line: as window_sways.c has it */
#define ALIKE 0.01 /* cycles squared, of a window's instructions: as if read so */
#define FREEDOM_MOST 1e6

/* At an equal length, what own windows count goes with instructions. */
struct line {
	double mean, common; /* it passes through these, for each cycle */
	double slope;
	double spread; /* squares of instructions about their mean */
	double rest;   /* variance of a window's count about the line */
	double error;  /* variance of the line there */
};

static void find_rest(const struct td_separate_own *own, double with, double squares,
		      struct line *line)
{
	double rest = fmax(0, squares - line->slope * with) / (own->n - 2);
	double beside = fmax(0, rest - own->read) * own->n / own->with_cycles[0];

	line->rest = fmax(rest, own->read);
	line->error = (line->rest + own->cost * own->cost * own->n) * own->n /
			      (own->cycles * own->cycles) +
		      VARIES * VARIES * beside;
}

/* 1 if there is one. */
static int find_line(const struct td_separate_own *own, struct line *line)
{
	const double *with = own->with_cycles;
	double products, squares;

	if (!(own->n >= WINDOWS_FEWEST))
		return 0;
	line->mean = own->count / own->cycles;
	line->common = own->common / own->cycles;
	line->spread = own->common_common - 2 * line->common * with[2] +
		       line->common * line->common * with[0];
	products = own->count_common - line->mean * with[2] - line->common * with[1] +
		   line->mean * line->common * with[0];
	squares = own->count_count - 2 * line->mean * with[1] +
		  line->mean * line->mean * with[0];
	line->slope = line->spread > ALIKE * own->n ? products / line->spread : 0;
	if (line->slope == 0 && own->n < MET_BOTH)
		return 0;
	find_rest(own, products, squares, line);
	/* own windows may be in some of the places alone */
	return !own->pieces || line->rest < BESIDE_MOST * own->read;
}

/* Of the batches, both traces together. */
static double covariance(const struct td_separate_trace *a,
			 const struct td_separate_trace *b)
{
	double products = 0, x = 0, y = 0;

	for (int i = 0; i < TD_BATCHES; i++) {
		products += a->change[i] * b->change[i];
		x += a->change[i] / TD_BATCHES;
		y += b->change[i] / TD_BATCHES;
	}
	return td_jackknife_covariance(products, x, y);
}

static unsigned freedom(double a, unsigned df_a, double b, unsigned df_b)
{
	double inverse = a * a / fmax(1, df_a) + b * b / fmax(1, df_b);

	return inverse > 0 ? (unsigned)fmin(FREEDOM_MOST,
					    fmax(1, (a + b) * (a + b) / inverse))
			   : df_a;
}

/*
 * Both are of the same windows, and what they are apart is an error as well.  How far
 * their errors go together beyond what batches show nobody knows: they count by their
 * standard deviations.
 */
void td_states_join(const struct td_separate_trace *common,
		    struct td_separate_trace *part)
{
	double from, variance, together, weight, apart, own;
	struct line line;

	if (!(part->variance > 0) || !(common->variance > 0) ||
	    !find_line(&part->own, &line))
		return;
	from = common->value - line.common;
	variance = line.slope * line.slope * common->variance + line.error;
	if (line.slope != 0)
		variance += from * from * line.rest / line.spread;
	together = line.slope * covariance(part, common);
	weight = sqrt(part->variance) / (sqrt(part->variance) + sqrt(variance));
	own = 1 - weight;
	apart = line.mean + line.slope * from - part->value;
	part->df = freedom(own * own * part->variance, part->df,
			   weight * weight * variance, common->df);
	part->variance = fmax(0, own * own * part->variance + weight * weight * variance +
					 2 * own * weight * together +
					 own * weight * apart * apart);
	part->value += weight * apart;
	for (int b = 0; b < TD_BATCHES; b++)
		part->change[b] =
			own * part->change[b] + weight * line.slope * common->change[b];
}
