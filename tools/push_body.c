// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

#include "tools/push.h"
#include "tools/quote.h"

const char *td_push_path(enum td_store store)
{
	return store == TD_STORE_PARCA ? "/profiles/writeraw"
				       : "/push.v1.PusherService/Push";
}

/* RFC 4648, section 4. */
static void put_base64(FILE *out, const unsigned char *bytes, size_t size)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		unsigned group = (unsigned)bytes[i] << 16 |
				 (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
				 (left > 2 ? bytes[i + 2] : 0);

		fputc(digit[group >> 18], out);
		fputc(digit[group >> 12 & 63], out);
		fputc(left > 1 ? digit[group >> 6 & 63] : '=', out);
		fputc(left > 2 ? digit[group & 63] : '=', out);
	}
}

static void put_label(FILE *out, const char *comma, const char *name, const char *value)
{
	fprintf(out, "%s{\"name\":", comma);
	td_quote_json(out, name);
	fputs(",\"value\":", out);
	td_quote_json(out, value);
	fputc('}', out);
}

char *td_push_body(enum td_store store, const char *name,
		   const struct td_export_label *label, size_t labels,
		   const unsigned char *pprof, size_t size)
{
	int parca = store == TD_STORE_PARCA;
	char *body = NULL;
	size_t length;
	FILE *out = open_memstream(&body, &length);

	if (!out)
		return NULL;
	fputs(parca ? "{\"series\":[{\"labels\":{\"labels\":["
		    : "{\"series\":[{\"labels\":[",
	      out);
	put_label(out, "", "__name__", "tdagent");
	put_label(out, ",", "service_name", name);
	for (size_t i = 0; i < labels; i++)
		put_label(out, ",", label[i].key, label[i].value);
	fputs(parca ? "]},\"samples\":[{\"rawProfile\":\""
		    : "],\"samples\":[{\"rawProfile\":\"",
	      out);
	put_base64(out, pprof, size);
	fputs(parca ? "\"}]}],\"normalized\":false}" : "\"}]}]}", out);
	if (ferror(out) || fclose(out) != 0) {
		free(body);
		return NULL;
	}
	return body;
}
