// SPDX-License-Identifier: MIT
#include "decoder/formula.h"

#include <math.h>
#include <string.h>

#define DEEP_MOST 32 /* brackets in brackets */
#define ARGUMENTS_MOST 4

struct parser {
	const char *at;
	td_formula_name_fn *name;
	td_formula_chance_fn *chance; /* or NULL */
	void *context;
	int depth;
	int wrong;
};

static double sum(struct parser *p);

static void skip_blanks(struct parser *p)
{
	p->at += strspn(p->at, " \t");
}

static int take(struct parser *p, char wanted)
{
	skip_blanks(p);
	if (*p->at != wanted)
		return 0;
	p->at++;
	return 1;
}

static void expect(struct parser *p, char wanted)
{
	if (!take(p, wanted))
		p->wrong = 1;
}

/* Not strtod(): a locale may have another decimal point. */
static double number(struct parser *p)
{
	double value = 0, unit = 1;

	for (; *p->at >= '0' && *p->at <= '9'; p->at++)
		value = value * 10 + (*p->at - '0');
	if (*p->at == '.')
		p->at++;
	for (; *p->at >= '0' && *p->at <= '9'; p->at++)
		value += (*p->at - '0') * (unit /= 10);
	return value;
}

/* Of when(a[0], ...), whose first argument is `length` bytes at `left`. */
static double branch(const struct parser *p, const char *left, size_t length,
		     const double *a)
{
	double more, mean;

	if (isnan(a[0]) || isnan(a[1]))
		return NAN;
	more = p->chance ? p->chance(p->context, left, length, a[0] - a[1]) : a[0] > a[1];
	mean = more * a[2] + (1 - more) * a[3];
	return isnan(mean) ? a[a[0] > a[1] ? 2 : 3] : mean;
}

static double call(struct parser *p, const char *name, size_t length)
{
	const char *first = p->at, *second = NULL;
	double a[ARGUMENTS_MOST] = {0};
	int n = 0;

	do {
		if (n == ARGUMENTS_MOST)
			p->wrong = 1;
		else
			a[n++] = sum(p);
		second = second ?: p->at;
	} while (!p->wrong && take(p, ','));
	expect(p, ')');
	if (length == 3 && n == 2 && !strncmp(name, "min", 3))
		return isnan(a[0]) || isnan(a[1]) ? NAN : fmin(a[0], a[1]);
	if (length == 3 && n == 2 && !strncmp(name, "max", 3))
		return isnan(a[0]) || isnan(a[1]) ? NAN : fmax(a[0], a[1]);
	if (length == 4 && n == 4 && !strncmp(name, "when", 4))
		return branch(p, first, (size_t)(second - first), a);
	p->wrong = 1;
	return NAN;
}

static double named(struct parser *p)
{
	const char *name = p->at;
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789");

	p->at += length;
	if (!length) {
		p->wrong = 1;
		return NAN;
	}
	if (take(p, '('))
		return call(p, name, length);
	return p->name(p->context, name, length);
}

static double factor(struct parser *p)
{
	double value;

	skip_blanks(p);
	if (p->wrong || p->depth++ > DEEP_MOST) {
		p->wrong = 1;
		return NAN;
	}
	if (take(p, '(')) {
		value = sum(p);
		expect(p, ')');
	} else if (take(p, '-')) {
		value = -factor(p);
	} else if (*p->at >= '0' && *p->at <= '9') {
		value = number(p);
	} else {
		value = named(p);
	}
	p->depth--;
	return value;
}

static double product(struct parser *p)
{
	double value = factor(p);

	while (!p->wrong) {
		if (take(p, '*')) {
			value *= factor(p);
		} else if (take(p, '/')) {
			double by = factor(p);

			value = by == 0 ? NAN : value / by;
		} else {
			break;
		}
	}
	return value;
}

static double sum(struct parser *p)
{
	double value = product(p);

	while (!p->wrong) {
		if (take(p, '+'))
			value += product(p);
		else if (take(p, '-'))
			value -= product(p);
		else
			break;
	}
	return value;
}

double td_formula_value(const char *text, td_formula_name_fn *name,
			td_formula_chance_fn *chance, void *context)
{
	struct parser p = {
		.at = text, .name = name, .chance = chance, .context = context};
	double value = sum(&p);

	skip_blanks(&p);
	return p.wrong || *p.at ? NAN : value;
}
