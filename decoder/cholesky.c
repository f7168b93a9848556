// SPDX-License-Identifier: MIT
#include "decoder/cholesky.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Two rows by two rows: each number that is loaded is used twice. */
static void dots(const double *a, const double *b, size_t stride, size_t n, double out[4])
{
	double s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;
	const double *c = a + stride, *d = b + stride;
	size_t k = 0;

	for (; k + 1 < n; k += 2) {
		s0 += a[k] * b[k];
		s1 += a[k] * d[k];
		s2 += c[k] * b[k];
		s3 += c[k] * d[k];
		t0 += a[k + 1] * b[k + 1];
		t1 += a[k + 1] * d[k + 1];
		t2 += c[k + 1] * b[k + 1];
		t3 += c[k + 1] * d[k + 1];
	}
	if (k < n) {
		s0 += a[k] * b[k];
		s1 += a[k] * d[k];
		s2 += c[k] * b[k];
		s3 += c[k] * d[k];
	}
	out[0] = s0 + t0;
	out[1] = s1 + t1;
	out[2] = s2 + t2;
	out[3] = s3 + t3;
}

static double dot(const double *a, const double *b, size_t n)
{
	double s = 0, t = 0;
	size_t k = 0;

	for (; k + 1 < n; k += 2) {
		s += a[k] * b[k];
		t += a[k + 1] * b[k + 1];
	}
	return k < n ? s + t + a[k] * b[k] : s + t;
}

static void one_row(double *a, size_t n, size_t i, size_t from, double least,
		    double *raised)
{
	double *row = a + i * n, pivot;

	for (size_t j = from; j < i; j++)
		row[j] = (row[j] - dot(row, a + j * n, j)) / a[j * n + j];
	pivot = row[i] - dot(row, row, i);
	*raised = fmax(0, least - pivot);
	row[i] = sqrt(pivot + *raised);
}

void td_cholesky(double *a, size_t n, const double *least, double *raised)
{
	size_t i = 0;

	for (; i + 1 < n; i += 2) {
		double *r = a + i * n, *s = r + n, sum[4];

		for (size_t j = 0; j < i; j += 2) {
			const double *u = a + j * n, *v = u + n;

			dots(r, u, n, j, sum);
			r[j] = (r[j] - sum[0]) / u[j];
			s[j] = (s[j] - sum[2]) / u[j];
			r[j + 1] = (r[j + 1] - sum[1] - r[j] * v[j]) / v[j + 1];
			s[j + 1] = (s[j + 1] - sum[3] - s[j] * v[j]) / v[j + 1];
		}
		one_row(a, n, i, i, least[i], &raised[i]);
		one_row(a, n, i + 1, i, least[i + 1], &raised[i + 1]);
	}
	if (i < n)
		one_row(a, n, i, 0, least[i], &raised[i]);
}

void td_cholesky_solve(const double *l, size_t n, double *x, size_t sides)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			for (size_t s = 0; s < sides; s++)
				x[i * sides + s] -= l[i * n + j] * x[j * sides + s];
		}
		for (size_t s = 0; s < sides; s++)
			x[i * sides + s] /= l[i * n + i];
	}
	for (size_t i = n; i--;) {
		for (size_t s = 0; s < sides; s++)
			x[i * sides + s] /= l[i * n + i];
		for (size_t j = 0; j < i; j++) {
			for (size_t s = 0; s < sides; s++)
				x[j * sides + s] -= l[i * n + j] * x[i * sides + s];
		}
	}
}

/* Rows of L's inverse, transposed: inverse[j][i] = (1/L)[i][j]. */
int td_cholesky_inverse_diagonal(const double *l, size_t n, double *diagonal)
{
	double *column = malloc((n + 1) * sizeof(*column));

	if (!column)
		return -ENOMEM;
	for (size_t j = 0; j < n; j++) {
		double sum;

		column[j] = 1 / l[j * n + j];
		sum = column[j] * column[j];
		for (size_t i = j + 1; i < n; i++) {
			column[i] = -dot(l + i * n + j, column + j, i - j) / l[i * n + i];
			sum += column[i] * column[i];
		}
		diagonal[j] = sum;
	}
	free(column);
	return 0;
}
