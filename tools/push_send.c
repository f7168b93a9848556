// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/text.h"
#include "tools/push.h"

#if HAVE_CURL
#define CURL_DISABLE_TYPECHECK /* of direct calls only */
#include <curl/curl.h>
#include <dlfcn.h>

/*
 * libcurl brings thirty libraries, whose loading would make every tdagent command
 * 5 ms slower: it is loaded here.  Its interface has kept this name since 2006.
 */
#define LIBRARY "libcurl.so.4"

struct library {
	__typeof__(&curl_easy_init) init;
	__typeof__(&curl_easy_setopt) setopt;
	__typeof__(&curl_easy_perform) perform;
	__typeof__(&curl_easy_getinfo) getinfo;
	__typeof__(&curl_easy_strerror) strerror;
	__typeof__(&curl_easy_cleanup) cleanup;
	__typeof__(&curl_slist_append) append;
	__typeof__(&curl_slist_free_all) free_all;
};

/* One name; POSIX lets a pointer to an object hold one to a function. */
static int find(void *handle, const char *name, void *into)
{
	void *symbol = dlsym(handle, name);

	memcpy(into, &symbol, sizeof(symbol));
	return symbol ? 0 : -1;
}

/* Stays loaded.  0, or -1 with `why`. */
static int load(struct library *library, char *why, size_t size)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	const char *error = handle ? NULL : dlerror();

	if (handle && find(handle, "curl_easy_init", &library->init) == 0 &&
	    find(handle, "curl_easy_setopt", &library->setopt) == 0 &&
	    find(handle, "curl_easy_perform", &library->perform) == 0 &&
	    find(handle, "curl_easy_getinfo", &library->getinfo) == 0 &&
	    find(handle, "curl_easy_strerror", &library->strerror) == 0 &&
	    find(handle, "curl_easy_cleanup", &library->cleanup) == 0 &&
	    find(handle, "curl_slist_append", &library->append) == 0 &&
	    find(handle, "curl_slist_free_all", &library->free_all) == 0)
		return 0;
	snprintf(why, size, "libcurl is needed (libcurl4 on Debian): %s",
		 error ? error : LIBRARY " lacks a function");
	return -1;
}

#define ANSWER_MOST 200 /* bytes of the store's answer that are shown */

struct answer {
	char text[ANSWER_MOST + 1];
	size_t size;
};

static size_t keep(char *bytes, size_t size, size_t count, void *context)
{
	struct answer *answer = context;
	size_t room = ANSWER_MOST - answer->size, all = size * count;
	size_t taken = all < room ? all : room;

	memcpy(answer->text + answer->size, bytes, taken);
	answer->size += taken;
	return all;
}

/* Adds "NAME: VALUE"; 0, or -1 without memory. */
static int add_header(const struct library *library, struct curl_slist **list,
		      const char *name, const char *value)
{
	struct curl_slist *more = NULL;
	char *line = NULL;

	if (asprintf(&line, "%s: %s", name, value) >= 0)
		more = library->append(*list, line);
	free(line);
	if (more)
		*list = more;
	return more ? 0 : -1;
}

static int add_headers(const struct library *library, struct curl_slist **list,
		       const struct td_push *push)
{
	char *bearer = NULL;
	int err = add_header(library, list, "Content-Type", "application/json");

	if (!err && push->tenant)
		err = add_header(library, list, "X-Scope-OrgID", push->tenant);
	if (!err && push->token) {
		err = asprintf(&bearer, "Bearer %s", push->token) < 0
			      ? -1
			      : add_header(library, list, "Authorization", bearer);
		free(bearer);
	}
	/* nobody waits for "100 Continue" */
	return err ? err : add_header(library, list, "Expect", "");
}

static void set_up(const struct library *library, CURL *curl, const struct td_push *push,
		   const char *url, struct curl_slist *headers, struct answer *answer,
		   char *error)
{
	library->setopt(curl, CURLOPT_URL, url);
	library->setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	library->setopt(curl, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
	library->setopt(curl, CURLOPT_HTTPHEADER, headers);
	library->setopt(curl, CURLOPT_POSTFIELDS, push->body);
	library->setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
			(curl_off_t)strlen(push->body));
	library->setopt(curl, CURLOPT_TIMEOUT, push->timeout_s);
	library->setopt(curl, CURLOPT_NOSIGNAL, 1L);
	library->setopt(curl, CURLOPT_ERRORBUFFER, error);
	library->setopt(curl, CURLOPT_WRITEFUNCTION, keep);
	library->setopt(curl, CURLOPT_WRITEDATA, answer);
}

static int judge(const struct library *library, CURL *curl, const struct answer *answer,
		 char *why, size_t size)
{
	long status = 0;
	char *clean;

	library->getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 200 && status < 300)
		return 0;
	clean = td_text_clean(answer->text, answer->size);
	snprintf(why, size, "the store refused it: status %ld%s%s", status,
		 clean && *clean ? ": " : "", clean ? clean : "");
	free(clean);
	return -1;
}

static int perform(const struct library *library, CURL *curl, const struct answer *answer,
		   const char *error, char *why, size_t size)
{
	CURLcode code = library->perform(curl);

	if (code == CURLE_OK)
		return judge(library, curl, answer, why, size);
	snprintf(why, size, "%s", error[0] ? error : library->strerror(code));
	return -1;
}

int td_push_send(const struct td_push *push, char *why, size_t size)
{
	char error[CURL_ERROR_SIZE] = "", *url = NULL;
	struct answer answer = {.size = 0};
	struct curl_slist *headers = NULL;
	size_t length = strlen(push->url);
	struct library library;
	CURL *curl;
	int err = -1;

	if (load(&library, why, size) < 0)
		return -1;
	curl = library.init();
	snprintf(why, size, "out of memory");
	while (length && push->url[length - 1] == '/')
		length--;
	if (curl && add_headers(&library, &headers, push) == 0 &&
	    asprintf(&url, "%.*s%s", (int)length, push->url, td_push_path(push->store)) >=
		    0) {
		set_up(&library, curl, push, url, headers, &answer, error);
		err = perform(&library, curl, &answer, error, why, size);
		free(url);
	}
	library.free_all(headers);
	if (curl)
		library.cleanup(curl);
	return err;
}
#else
int td_push_send(const struct td_push *push, char *why, size_t size)
{
	(void)push;
	snprintf(why, size,
		 "tdagent was built without libcurl; export --format=pprof and any HTTP "
		 "client do the same");
	return -1;
}
#endif
