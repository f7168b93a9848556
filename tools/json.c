// SPDX-License-Identifier: MIT
#include "tools/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "decoder/text.h"
#include "tools/quote.h"

static void separate(struct td_json *json)
{
	if (!json->first)
		fputc(',', json->out);
	if (json->flat && json->depth >= json->flat) {
		fputs(json->first ? "" : " ", json->out);
		json->first = 0;
		return;
	}
	if (json->depth)
		fputc('\n', json->out);
	for (int i = 0; i < json->depth; i++)
		fputc(' ', json->out);
	json->first = 0;
}

static void begin(struct td_json *json, const char *key)
{
	separate(json);
	if (key) {
		td_quote_json(json->out, key);
		fputs(": ", json->out);
	}
}

void td_json_open(struct td_json *json, const char *key, char bracket)
{
	begin(json, key);
	fputc(bracket, json->out);
	json->depth++;
	json->first = 1;
}

void td_json_close(struct td_json *json, char bracket)
{
	int flat = json->flat && json->depth >= json->flat;

	json->depth--;
	json->first = 1;
	if (!flat)
		separate(json);
	json->first = 0;
	fputc(bracket, json->out);
	if (json->depth < json->flat)
		json->flat = 0;
}

void td_json_clean(struct td_json *json, const char *key, const char *text)
{
	begin(json, key);
	td_quote_json(json->out, text ? text : "");
}

void td_json_text(struct td_json *json, const char *key, const char *text, size_t size)
{
	char *clean = td_text_clean(text, size);

	td_json_clean(json, key, clean);
	free(clean);
}

void td_json_count(struct td_json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void td_json_sum(struct td_json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRId64, (int64_t)value);
}

void td_json_number(struct td_json *json, const char *key, double value)
{
	if (!isfinite(value))
		return;
	begin(json, key);
	fprintf(json->out, "%.9g", value);
}

void td_json_bool(struct td_json *json, const char *key, int value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

void td_json_hex(struct td_json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "\"0x%" PRIx64 "\"", value);
}

void td_json_estimate(struct td_json *json, const char *key,
		      const struct td_estimate *estimate)
{
	td_json_open(json, key, '{');
	td_json_number(json, "value", estimate->value);
	td_json_number(json, "low", estimate->low);
	td_json_number(json, "high", estimate->high);
	td_json_close(json, '}');
}

void td_json_topdown(struct td_json *json, const struct td_topdown_value value[TD_NODES])
{
	int any = 0;

	for (int i = 0; i < TD_NODES; i++) {
		if (!value[i].present)
			continue;
		if (!any++)
			td_json_open(json, "topdown", '{');
		td_json_estimate(json, td_topdown_tree[i].name, &value[i].estimate);
	}
	if (!any)
		return;
	td_json_close(json, '}');
	if (td_topdown_bottleneck(value) >= 0)
		td_json_clean(json, "bottleneck",
			      td_topdown_tree[td_topdown_bottleneck(value)].name);
}
