// SPDX-License-Identifier: MIT
#include "decoder/window_events.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/order.h"
#include "decoder/window_batches.h"

#define WINDOWS_FEWEST 100 /* opened in a column */
#define EVENTS_MOST 40
#define TOP 0.1       /* of the lengths: the longest windows */
#define COMPLETE 0.02 /* of those may hold no more events */
#define PARTS 8       /* of the lengths, that hold about as many windows each */
#define UNEQUAL 0.15  /* by how much that may differ, beyond chance */
#define SIGMAS 4
#define JUMPS_FEW 0.05

struct order {
	uint32_t open, events, window;
	uint8_t still; /* it ends before the program can have started */
};

static int by_events(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->open != y->open)
		return x->open < y->open ? -1 : 1;
	if (x->events != y->events)
		return x->events < y->events ? -1 : 1;
	if (x->still != y->still)
		return x->still < y->still ? -1 : 1;
	return (x->window > y->window) - (x->window < y->window);
}

static int is_known(const struct td_separate_window *w)
{
	return !w->empty && w->requested > 0 && w->slots > 0;
}

/* That windows of all lengths are equally frequent, or count as if they were, is what
 * makes times of counts. */
static int equally_frequent(const struct td_events *events,
			    const struct td_separate_input *input)
{
	double part[PARTS] = {0}, mean = 0;
	double width = (events->longest - events->shortest) / PARTS;

	if (!(width > 1))
		return 0;
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];
		double at = (w->requested - events->shortest) / width;

		if (!is_known(w) || at < 0)
			continue;
		part[(int)fmin(PARTS - 1, at)]++;
		mean += 1. / PARTS;
	}
	for (int p = 0; p < PARTS; p++) {
		if (fabs(part[p] - mean) > UNEQUAL * mean + SIGMAS * sqrt(mean))
			return 0;
	}
	return mean > 0;
}

/* So many windows from one class of lengths to the next stand for so many cycles. */
static void weigh_classes(struct td_events *events, const double *lengths, size_t n)
{
	double cycle = (double)n / (events->longest - events->shortest);

	for (int c = 0; c < TD_EVENTS_LENGTHS; c++) {
		size_t begin = n * (size_t)c / TD_EVENTS_LENGTHS,
		       end = n * (size_t)(c + 1) / TD_EVENTS_LENGTHS;
		double to = end < n ? lengths[end] : events->longest;
		struct td_events_length *class = &events->length[c];

		class->from = c ? lengths[begin] : events->shortest;
		class->weight =
			end > begin ? (to - class->from) * cycle / (double)(end - begin)
				    : 0;
	}
}

/* Windows of lengths that are asked for more often count for less. */
static int find_weights(struct td_events *events, const struct td_separate_input *input)
{
	double *lengths = malloc((input->windows + 1) * sizeof(*lengths));
	size_t n = 0;

	if (!lengths)
		return -ENOMEM;
	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (is_known(w) && w->requested >= events->shortest)
			lengths[n++] = w->requested;
	}
	qsort(lengths, n, sizeof(*lengths), td_by_double);
	weigh_classes(events, lengths, n);
	free(lengths);
	return 0;
}

/* 1 if calls and returns can tell something.  *equal: whether lengths are equally
 * frequent. */
static int is_of_use(struct td_events *events, const struct td_separate_input *input,
		     const struct td_axis *axis, int *equal)
{
	if (axis->kind != TD_AXIS_REQUESTED || !input->returns)
		return 0;
	events->visits_only = axis->start_spread <= 0;
	events->shortest = td_axis_still(axis);
	for (size_t i = 0; i < input->windows; i++) {
		/* where some do not count them, the others count returns only; and a row
		 * is of all windows that have so many */
		if (input->window[i].unsure || input->window[i].silent)
			return 0;
		if (is_known(&input->window[i]))
			events->longest =
				fmax(events->longest, input->window[i].requested);
	}
	*equal = equally_frequent(events, input);
	return *equal || ((events->visits_only || axis->edges) &&
			  events->longest > events->shortest + 1);
}

static int weigh_lengths(struct td_events *events, const struct td_separate_input *input,
			 int equal)
{
	if (!equal)
		return find_weights(events, input);
	for (int c = 0; c < TD_EVENTS_LENGTHS; c++)
		events->length[c] = (struct td_events_length){c ? HUGE_VAL : 0, 1};
	return 0;
}

static size_t sort_windows(const struct td_events *events,
			   const struct td_separate_input *input, struct order *order)
{
	size_t n = 0;

	for (size_t i = 0; i < input->windows; i++) {
		const struct td_separate_window *w = &input->window[i];

		if (is_known(w))
			order[n++] = (struct order){
				events->open[i],
				(uint32_t)(w->calls + events->late[i] * events->more),
				(uint32_t)i,
				w->requested < events->shortest,
			};
	}
	if (n)
		qsort(order, n, sizeof(*order), by_events);
	return n;
}

/* Columns next to each other without a call or return between them: visits of both
 * are one, and where it began is not known. */
static int find_jumps(struct td_events *events, const struct td_columns *columns,
		      const struct order *order, size_t n)
{
	double *ends = calloc(2 * (size_t)columns->columns + 1, sizeof(*ends));
	double *own = ends + columns->columns;

	if (!ends)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint32_t close = events->close[order[i].window];

		if (order[i].events || order[i].still)
			continue;
		ends[order[i].open]++;
		ends[close]++;
		own[close] += 2 * (order[i].open == close);
	}
	for (uint32_t c = 0; c < columns->columns; c++)
		events->jumps[c] = own[c] < (1 - JUMPS_FEW) * ends[c];
	free(ends);
	return 0;
}

/*
 * Up to how many events, none to EVENTS_MOST, nearly all of the windows are complete:
 * the longest ones hold more.
 */
static uint32_t most_events(const struct td_events *events,
			    const struct td_separate_input *input,
			    const struct order *order, size_t n)
{
	double top = events->longest - TOP * (events->longest - events->shortest);
	double longest = 0, few[EVENTS_MOST + 1] = {0}, sum = 0;
	uint32_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (input->window[order[i].window].requested < top)
			continue;
		longest++;
		if (order[i].events <= EVENTS_MOST)
			few[order[i].events]++;
	}
	for (; k <= EVENTS_MOST; k++) {
		sum += few[k];
		if (sum > COMPLETE * longest)
			break;
	}
	return k ? k - 1 : 0;
}

static void take_window(const struct td_separate_input *input, const struct td_axis *axis,
			uint32_t window, uint32_t close, struct td_row_window *to)
{
	const struct td_separate_window *from = &input->window[window];

	memset(to, 0, sizeof(*to));
	to->length = from->requested;
	for (int k = 0; k < TD_SEPARATE_NODES; k++)
		to->value[k] = (float)(from->value[k] / axis->width -
				       axis->mix[k] * td_axis_beyond(axis, from));
	to->other = close;
	to->batch = (uint8_t)td_batch(input, window);
	to->counted = 1;
}

/* The key's columns; index[] is scratch, all UINT32_MAX before and after. */
static void find_columns(struct td_events *events, struct td_key *key, uint32_t begin,
			 uint32_t end, uint32_t *index)
{
	struct td_row_window *window = events->rows.window;

	key->column[0] = key->function;
	key->columns = 1;
	index[key->function] = 0;
	for (uint32_t i = begin; i < end; i++) {
		uint32_t *at = &index[window[i].other];

		if (*at == UINT32_MAX) {
			*at = key->columns;
			key->column[key->columns++] = window[i].other;
		}
		window[i].other = *at;
	}
	for (uint32_t c = 0; c < key->columns; c++)
		index[key->column[c]] = UINT32_MAX;
}

/* A bin for each number of events up to `most` that windows hold; those in which the
 * program cannot have started behind the others. */
static void cut_bins(struct td_events *events, const struct td_separate_input *input,
		     struct td_key *key, const struct order *order, size_t n,
		     uint32_t most)
{
	struct td_rows *rows = &events->rows;
	uint32_t to = (uint32_t)rows->windows;

	for (size_t i = 0, end; i < n && order[i].events <= most; i = end) {
		struct td_bin *bin = &key->bin[key->bins];
		size_t at = (size_t)(bin - rows->bin);

		memset(bin, 0, sizeof(*bin));
		bin->begin = bin->end = to;
		for (end = i; end < n && order[end].events == order[i].events; end++) {
			uint32_t window = order[end].window;

			bin->end += !order[end].still;
			take_window(input, &rows->axis, window, events->close[window],
				    &rows->window[to++]);
		}
		events->events[at] = order[i].events;
		events->still[at] = to;
		if (bin->end > bin->begin)
			key->bins++;
		else
			to = bin->begin;
	}
	rows->windows = to;
}

static void count_opened(const struct td_separate_input *input, const struct order *order,
			 size_t n, struct td_events_opened *opened)
{
	memset(opened, 0, sizeof(*opened));
	for (size_t i = 0; i < n; i++)
		(order[i].still ? opened->still
				: opened->started)[td_batch(input, order[i].window)]++;
}

static void add_key(struct td_events *events, const struct td_separate_input *input,
		    const struct order *order, size_t n, uint32_t *index)
{
	struct td_rows *rows = &events->rows;
	const struct td_key *last = rows->keys ? &rows->key[rows->keys - 1] : NULL;
	struct td_key *key = &rows->key[rows->keys];
	uint32_t most = most_events(events, input, order, n);
	uint32_t begin = (uint32_t)rows->windows;

	if (n < WINDOWS_FEWEST || !most || order->events)
		return;
	memset(key, 0, sizeof(*key));
	key->function = order->open;
	key->column = last ? last->column + last->columns : rows->column;
	key->bin = last ? last->bin + last->bins : rows->bin;
	count_opened(input, order, n, &events->opened[rows->keys]);
	cut_bins(events, input, key, order, n, most);
	find_columns(events, key, begin, (uint32_t)rows->windows, index);
	rows->keys += key->bins > 1;
	if (key->bins <= 1)
		rows->windows = begin;
}

static int place_times(struct td_events *events)
{
	events->count = calloc(td_rows_cells(&events->rows) + 1, sizeof(*events->count));
	return events->count ? td_rows_place_times(&events->rows) : -ENOMEM;
}

static int get_memory(struct td_events *events, size_t windows, size_t columns)
{
	struct td_rows *rows = &events->rows;
	size_t bins = (EVENTS_MOST + 1) * (windows / WINDOWS_FEWEST + 2);

	rows->window = malloc((windows + 1) * sizeof(*rows->window));
	rows->key = calloc(columns + 1, sizeof(*rows->key));
	rows->column = malloc((windows + columns + 1) * sizeof(*rows->column));
	rows->bin = malloc(bins * sizeof(*rows->bin));
	events->events = malloc(bins * sizeof(*events->events));
	events->still = malloc(bins * sizeof(*events->still));
	events->opened = malloc((columns + 1) * sizeof(*events->opened));
	events->visit = calloc(columns + 1, sizeof(*events->visit));
	events->known = calloc(columns + 1, sizeof(*events->known));
	events->jumps = calloc(columns + 1, sizeof(*events->jumps));
	return rows->window && rows->key && rows->column && rows->bin && events->events &&
			       events->still && events->opened && events->visit &&
			       events->known && events->jumps
		       ? 0
		       : -ENOMEM;
}

static int build(struct td_events *events, const struct td_separate_input *input,
		 const struct td_columns *columns, struct order *order, uint32_t *index)
{
	size_t n = sort_windows(events, input, order);
	int err = get_memory(events, n, columns->columns);

	if (!err)
		err = find_jumps(events, columns, order, n);
	for (size_t i = 0, end; i < n && !err; i = end) {
		for (end = i; end < n && order[end].open == order[i].open;)
			end++;
		add_key(events, input, order + i, end - i, index);
	}
	return err ? err : place_times(events);
}

int td_events_build(struct td_events *events, const struct td_separate_input *input,
		    const struct td_axis *axis, const struct td_columns *columns,
		    const struct td_ends *ends, int backward)
{
	struct order *order;
	uint32_t *index;
	int err, equal;

	memset(events, 0, sizeof(*events));
	events->rows.axis = *axis;
	events->rows.nodes = input->nodes;
	events->rows.columns = columns->columns;
	events->open = backward ? columns->close : columns->open;
	events->close = backward ? ends->open : ends->close;
	events->late = backward ? ends->opened : ends->closed;
	events->more = backward ? 1 : -1;
	events->ends = ends;
	if (!is_of_use(events, input, axis, &equal))
		return 0;
	err = weigh_lengths(events, input, equal);
	if (err)
		return err;
	err = -ENOMEM;
	order = malloc((input->windows + 1) * sizeof(*order));
	index = malloc((columns->columns + 1) * sizeof(*index));
	if (order && index) {
		memset(index, 0xff, columns->columns * sizeof(*index));
		err = build(events, input, columns, order, index);
	}
	free(order);
	free(index);
	return err;
}

void td_events_free(struct td_events *events)
{
	td_rows_free(&events->rows);
	free(events->events);
	free(events->still);
	free(events->count);
	free(events->opened);
	free(events->visit);
	free(events->known);
	free(events->jumps);
	memset(events, 0, sizeof(*events));
}
