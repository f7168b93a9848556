// SPDX-License-Identifier: MIT
#include <string.h>

#include "decoder/cholesky.h"
#include "tests/unit/unit.h"

#define MOST 9

/* Symmetric, positive definite, nothing round in it. */
static void make(double *a, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++)
			a[i * n + j] = 1. / (double)(1 + i + j) + (i == j ? 0.3 + i : 0);
	}
}

static void start(double *a, double *l, size_t n)
{
	double least[MOST], raised[MOST];

	make(a, n);
	memcpy(l, a, n * n * sizeof(*l));
	for (size_t i = 0; i < n; i++)
		least[i] = 1e-9;
	td_cholesky(l, n, least, raised);
	for (size_t i = 0; i < n; i++)
		ck_assert_double_eq(raised[i], 0);
}

START_TEST(solves)
{
	double a[MOST * MOST], l[MOST * MOST], x[MOST * 2], right[MOST * 2];

	for (size_t n = 1; n <= MOST; n++) {
		start(a, l, n);
		for (size_t i = 0; i < 2 * n; i++)
			x[i] = right[i] = (double)(i * i) - 3;
		td_cholesky_solve(l, n, x, 2);
		for (size_t i = 0; i < n; i++) {
			for (size_t s = 0; s < 2; s++) {
				double sum = 0;

				for (size_t j = 0; j < n; j++)
					sum += a[i * n + j] * x[j * 2 + s];
				ck_assert_double_eq_tol(sum, right[i * 2 + s], 1e-9);
			}
		}
	}
}
END_TEST

START_TEST(inverse_diagonal)
{
	double a[MOST * MOST], l[MOST * MOST], diagonal[MOST], x[MOST];

	for (size_t n = 1; n <= MOST; n++) {
		start(a, l, n);
		ck_assert_int_eq(td_cholesky_inverse_diagonal(l, n, diagonal), 0);
		for (size_t i = 0; i < n; i++) {
			memset(x, 0, sizeof(x));
			x[i] = 1;
			td_cholesky_solve(l, n, x, 1);
			ck_assert_double_eq_tol(diagonal[i], x[i], 1e-9);
		}
	}
}
END_TEST

/* Not positive: the pivot is raised, and L is that of what it was raised to. */
START_TEST(raises)
{
	double a[] = {4, 0, 0, 2, -1, 0, 2, 0, 9}, least[] = {1, 0.5, 1}, raised[3];

	td_cholesky(a, 3, least, raised);
	ck_assert_double_eq(raised[0], 0);
	ck_assert_double_eq_tol(raised[1], 0.5 - (-1 - 1), 1e-12);
	ck_assert_double_eq(raised[2], 0);
	ck_assert_double_eq_tol(a[3] * a[3] + a[4] * a[4], -1 + raised[1], 1e-12);
	ck_assert_double_eq_tol(a[6] * a[3] + a[7] * a[4], 0, 1e-12);
	ck_assert_double_eq_tol(a[6] * a[6] + a[7] * a[7] + a[8] * a[8], 9, 1e-12);
}
END_TEST

int main(void)
{
	return unit_main("cholesky",
			 (const TTest *const[]){solves, inverse_diagonal, raises, NULL});
}
