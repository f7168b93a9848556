// SPDX-License-Identifier: MIT
#include "decoder/values.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "decoder/options.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Decimal digits only: strtoull() would take blanks, signs and 0x. */
static int digits_parse(const char *text, uint64_t *number, const char **end)
{
	uint64_t sum = 0;

	*end = text;
	for (; **end >= '0' && **end <= '9'; ++*end)
		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(**end - '0'), &sum))
			return -EINVAL;
	*number = sum;
	return *end == text ? -EINVAL : 0;
}

int td_number_parse(const char *text, uint64_t *number)
{
	const char *end;
	uint64_t sum;

	if (digits_parse(text, &sum, &end) || *end)
		return -EINVAL;
	*number = sum;
	return 0;
}

struct td_shown td_show(const char *value, size_t length)
{
	struct td_shown shown;
	size_t used = length < TD_SHOWN ? length : TD_SHOWN;

	for (size_t i = 0; i < used; i++) {
		unsigned char byte = (unsigned char)value[i];

		shown.text[i] = byte < ' ' || byte == 0x7f ? '?' : value[i];
	}
	strcpy(shown.text + used, length > TD_SHOWN ? "..." : "");
	return shown;
}

size_t td_slips(const char *word, const char *into)
{
	size_t row[16];
	size_t width = strlen(into);

	if (width >= COUNT(row))
		return SIZE_MAX;
	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 0; word[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < width; j++) {
			size_t best = diagonal + (word[i] != into[j]);

			diagonal = row[j + 1];
			if (best > row[j] + 1)
				best = row[j] + 1;
			if (best > diagonal + 1)
				best = diagonal + 1;
			row[j + 1] = best;
		}
	}
	return row[width];
}

static const struct {
	const char *suffix;
	enum td_unit unit;
	uint32_t factor;
} period_units[] = {
	/* td_period_print() takes the first that divides */
	{"s", TD_UNIT_NS, 1000000000}, {"ms", TD_UNIT_NS, 1000000},
	{"us", TD_UNIT_NS, 1000},      {"ns", TD_UNIT_NS, 1},
	{"", TD_UNIT_CYCLES, 1},
};

int td_period_parse(const char *text, struct td_period *period)
{
	const char *suffix;
	uint64_t number;

	if (digits_parse(text, &number, &suffix))
		return -EINVAL;
	for (size_t i = 0; i < COUNT(period_units); i++) {
		if (strcmp(suffix, period_units[i].suffix))
			continue;
		if (__builtin_mul_overflow(number, (uint64_t)period_units[i].factor,
					   &number))
			return -EINVAL;
		*period = (struct td_period){number, period_units[i].unit};
		return 0;
	}
	return -EINVAL;
}

void td_period_print(const struct td_period *period, char *text, size_t size)
{
	size_t i = 0;

	while (period_units[i].unit != period->unit ||
	       period->value % period_units[i].factor)
		i++;
	snprintf(text, size, "%llu%s",
		 (unsigned long long)(period->value / period_units[i].factor),
		 period->unit == TD_UNIT_CYCLES ? " cycles" : period_units[i].suffix);
}

static int append(char *path, size_t size, size_t *used, const char *text, size_t length)
{
	if (length >= size - *used)
		return -ENAMETOOLONG;
	memcpy(path + *used, text, length);
	*used += length;
	path[*used] = '\0';
	return 0;
}

int td_output_expand(const char *pattern, uint32_t pid, const char *program, char *path,
		     size_t size)
{
	const char *slash = strrchr(program, '/');
	const char *base = slash ? slash + 1 : program;
	char digits[16];
	size_t used = 0;
	int error = 0;

	if (!size)
		return -ENAMETOOLONG;
	path[0] = '\0';
	snprintf(digits, sizeof(digits), "%u", (unsigned)pid);
	for (; *pattern && !error; pattern++) {
		if (*pattern != '%') {
			error = append(path, size, &used, pattern, 1);
			continue;
		}
		switch (*++pattern) {
		case 'p':
			error = append(path, size, &used, digits, strlen(digits));
			break;
		case 'e':
			error = append(path, size, &used, base, strlen(base));
			break;
		case '%':
			error = append(path, size, &used, pattern, 1);
			break;
		default:
			return -EINVAL;
		}
	}
	return error;
}
