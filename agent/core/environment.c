// SPDX-License-Identifier: MIT
#include "agent/core/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/core/core.h"
#include "agent/sigsafe/syscall.h"
#include "decoder/preload.h"

#define PRELOAD "LD_PRELOAD="
#define OURS "libtdagent.so"
/* Of the caller's stack, bytes: a larger environment stays as it is. */
#define ROOM_MOST 65536u

/* The first item of the list that is us, or NULL. */
static const char *find_us(const char *list, size_t *length)
{
	for (;; list += *length) {
		const char *slash;

		list += strspn(list, " :");
		*length = strcspn(list, " :");
		if (!*length)
			return NULL;
		slash = memrchr(list, '/', *length);
		if (strncmp(slash ? slash + 1 : list, OURS, strlen(OURS)) == 0)
			return list;
	}
}

static bool is_preload(const char *entry)
{
	return strncmp(entry, PRELOAD, strlen(PRELOAD)) == 0;
}

/* Where we are in LD_PRELOAD, or NULL. */
static const char *preload_with_us(char *const envp[])
{
	size_t length;

	for (; envp && *envp; envp++)
		if (is_preload(*envp))
			return find_us(*envp + strlen(PRELOAD), &length)
				       ? *envp + strlen(PRELOAD)
				       : NULL;
	return NULL;
}

/* Would it end because of us? */
static bool would_end(int program, const char *preload)
{
	char name[TD_PRELOAD_NAME];
	enum td_preload how = td_preload_into(program, name);

	return how == TD_PRELOAD_LIBC ||
	       (how == TD_PRELOAD_SANITIZER && !td_preload_sanitizer(preload));
}

size_t td_environment_size(int program, char *const envp[])
{
	const char *preload = preload_with_us(envp);
	int saved_errno = errno, cancel;
	size_t size;
	bool ends;

	if (!preload || program < 0 || td_core_is_mute())
		return 0;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ends = would_end(program, preload);
	pthread_setcancelstate(cancel, NULL);
	errno = saved_errno;
	if (!ends)
		return 0;
	size = strlen(PRELOAD) + strlen(preload) + 1 + sizeof(*envp);
	while (*envp++)
		size += sizeof(*envp);
	return size <= ROOM_MOST ? size : 0;
}

/* A descriptor, or negative. */
static int open_program(int directory, const char *path)
{
	return (int)td_syscall4(SYS_openat, directory, path,
				O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
}

static size_t size_and_close(int program, char *const envp[])
{
	size_t size = td_environment_size(program, envp);

	if (program >= 0)
		td_syscall1(SYS_close, program);
	return size;
}

size_t td_environment_size_at(int directory, const char *path, char *const envp[])
{
	if (!path || !preload_with_us(envp) || td_core_is_mute())
		return 0;
	if (!*path) /* AT_EMPTY_PATH */
		return td_environment_size(directory, envp);
	return size_and_close(open_program(directory, path), envp);
}

/* As execvp() does, the first that can be run. */
static int search(const char *name)
{
	const char *list = getenv("PATH");
	char path[PATH_MAX];

	for (list = list ? list : "/bin:/usr/bin";; list++) {
		size_t length = strcspn(list, ":");

		if (length + 1 + strlen(name) < sizeof(path)) {
			memcpy(path, list, length);
			path[length] = '/';
			strcpy(path + length + (length ? 1 : 0), name);
			if (td_syscall3(SYS_faccessat, AT_FDCWD, path, X_OK) == 0)
				return open_program(AT_FDCWD, path);
		}
		list += length;
		if (!*list)
			return -1;
	}
}

size_t td_environment_size_in_path(const char *name, char *const envp[])
{
	if (!name || strchr(name, '/'))
		return td_environment_size_at(AT_FDCWD, name, envp);
	if (!preload_with_us(envp) || td_core_is_mute())
		return 0;
	return size_and_close(search(name), envp);
}

/* The list without us, at `to`; returns whether anybody is left. */
static bool copy_without_us(char *to, const char *list)
{
	size_t length;
	const char *us;

	strcpy(to, list);
	while ((us = find_us(to, &length)) != NULL)
		memmove(to + (us - to), us + length, strlen(us + length) + 1);
	return to[strspn(to, " :")] != '\0';
}

char **td_environment_without_us(char *const envp[], void *room)
{
	char **copy = room, **next = copy;
	char *preload;
	size_t n = 0;

	if (!room)
		return (char **)envp;
	while (envp[n])
		n++;
	preload = (char *)(copy + n + 1);
	strcpy(preload, PRELOAD);
	for (; *envp; envp++) {
		if (!preload || !is_preload(*envp)) {
			*next++ = *envp;
			continue;
		}
		if (copy_without_us(preload + strlen(PRELOAD), *envp + strlen(PRELOAD)))
			*next++ = preload;
		preload = NULL; /* there is room for the first */
	}
	*next = NULL;
	return copy;
}
