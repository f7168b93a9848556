// SPDX-License-Identifier: MIT
#include "decoder/directions.h"

#include <math.h>

#define NODES TD_SEPARATE_NODES
#define ROUNDS 30 /* of the power method: one direction is much longer than others */

double td_direction_product(const double *a, const double *b)
{
	double sum = 0;

	for (int k = 0; k < NODES; k++)
		sum += a[k] * b[k];
	return sum;
}

double td_direction_of(const double *a, double *to)
{
	double length = sqrt(td_direction_product(a, a));

	for (int k = 0; k < NODES; k++)
		to[k] = length > 0 ? a[k] / length : 0;
	return length;
}

double td_direction_most(const double (*products)[NODES], double *most)
{
	double next[NODES], square = 0;
	int first = 0;

	for (int k = 1; k < NODES; k++)
		first = products[k][k] > products[first][first] ? k : first;
	td_direction_of(products[first], most);
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < NODES; k++)
			next[k] = td_direction_product(products[k], most);
		square = td_direction_of(next, most);
	}
	return square;
}
