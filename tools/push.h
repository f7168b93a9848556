/* SPDX-License-Identifier: MIT */
/*
 * What profile stores are sent: a request of their public HTTP interfaces, and its
 * way there.  Context: normal.
 */
#ifndef TD_TOOLS_PUSH_H
#define TD_TOOLS_PUSH_H

#include <stddef.h>

#include "tools/export.h"

enum td_store {
	TD_STORE_PYROSCOPE, /* Connect: /push.v1.PusherService/Push */
	TD_STORE_PARCA,     /* gRPC gateway: /profiles/writeraw */
};

/* Below the store's URL, with its slash. */
const char *td_push_path(enum td_store store);

/*
 * The request's body, JSON, for a pprof file: `name` is the service, the labels are
 * the series'.  Free it; NULL without memory.
 */
char *td_push_body(enum td_store store, const char *name,
		   const struct td_export_label *label, size_t labels,
		   const unsigned char *pprof, size_t size);

struct td_push {
	const char *url; /* of the store, with or without a slash at its end */
	enum td_store store;
	const char *body;
	const char *tenant; /* X-Scope-OrgID; NULL: none */
	const char *token;  /* Authorization: Bearer; NULL: none */
	long timeout_s;
};

/*
 * Sends it, over http or https; redirections are not followed.  Returns 0, or -1
 * with `why`: one line.
 */
int td_push_send(const struct td_push *push, char *why, size_t size);

#endif
