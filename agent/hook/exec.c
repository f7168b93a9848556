// SPDX-License-Identifier: MIT
/* exec: what was measured is in the file already; no signal of ours may reach
 * the new image, nor may we where that would end it (core/environment.h).  A vfork child
 * shares our memory and is left alone. */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/core/environment.h"
#include "agent/core/lifecycle.h"
#include "agent/core/real.h"
#include "agent/hook/hook.h"

#define ROOM(size) ((size) ? alloca(size) : NULL)

/* After an exec that failed, everything goes on as before, errno included. */
static int failed(bool prepared, int result)
{
	int saved_errno = errno;

	if (prepared)
		td_lifecycle_after_failed_exec();
	errno = saved_errno;
	return result;
}

TD_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	size_t size = td_environment_size_at(AT_FDCWD, path, envp);
	char **without_us = td_environment_without_us(envp, ROOM(size));
	bool prepared = td_lifecycle_before_exec();

	return failed(prepared, td_real()->execve(path, argv, without_us));
}

TD_EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

TD_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	size_t size = td_environment_size_in_path(file, envp);
	char **without_us = td_environment_without_us(envp, ROOM(size));
	bool prepared = td_lifecycle_before_exec();

	return failed(prepared, td_real()->execvpe(file, argv, without_us));
}

TD_EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

TD_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	size_t size = td_environment_size(fd, envp);
	char **without_us = td_environment_without_us(envp, ROOM(size));
	bool prepared = td_lifecycle_before_exec();

	return failed(prepared, td_real()->fexecve(fd, argv, without_us));
}

TD_EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[],
		       int flags)
{
	size_t size = td_environment_size_at(fd, path, envp);
	char **without_us = td_environment_without_us(envp, ROOM(size));
	bool prepared = td_lifecycle_before_exec();

	return failed(prepared, td_real()->execveat(fd, path, argv, without_us, flags));
}

/* The list forms, whose libc versions do not pass through execve()'s symbol. */
struct list {
	char *few[256];
	char **argv;
	size_t size; /* bytes of argv if it is mapped, else 0 */
};

/* Mapped memory for a long list: exec is async-signal-safe, malloc is not. */
static bool make_room(struct list *list, size_t entries)
{
	void *memory;

	list->argv = list->few;
	list->size = 0;
	if (entries <= sizeof(list->few) / sizeof(list->few[0]))
		return true;
	list->size = entries * sizeof(char *);
	memory = mmap(NULL, list->size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	list->argv = memory;
	return memory != MAP_FAILED;
}

/* Takes the arguments up to and with the NULL; `arguments` stands behind it then. */
static bool collect(struct list *list, const char *first, va_list *arguments)
{
	va_list ahead;
	size_t n = 2;

	va_copy(ahead, *arguments);
	while (va_arg(ahead, char *))
		n++;
	va_end(ahead);
	if (!make_room(list, n))
		return false;
	list->argv[0] = (char *)first;
	for (size_t i = 1; i < n; i++)
		list->argv[i] = va_arg(*arguments, char *);
	return true;
}

/* Only after an exec that failed. */
static int release(struct list *list, int result)
{
	int saved_errno = errno;

	if (list->size)
		munmap(list->argv, list->size);
	errno = saved_errno;
	return result;
}

typedef int exec_call(const char *, char *const[], char *const[]);

/* `environment`: one stands behind the list. */
static int exec_list(exec_call *call, const char *file, const char *first,
		     va_list *arguments, bool environment)
{
	struct list list;
	char *const *envp = environ;

	if (!collect(&list, first, arguments))
		return -1;
	if (environment)
		envp = va_arg(*arguments, char *const *);
	return release(&list, call(file, list.argv, envp));
}

TD_EXPORT int execl(const char *path, const char *first, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, first);
	result = exec_list(execve, path, first, &arguments, false);
	va_end(arguments);
	return result;
}

TD_EXPORT int execlp(const char *file, const char *first, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, first);
	result = exec_list(execvpe, file, first, &arguments, false);
	va_end(arguments);
	return result;
}

TD_EXPORT int execle(const char *path, const char *first, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, first);
	result = exec_list(execve, path, first, &arguments, true);
	va_end(arguments);
	return result;
}

/* A child of its own, made without our knowledge. */
TD_EXPORT int posix_spawn(pid_t *pid, const char *path,
			  const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *attributes, char *const argv[],
			  char *const envp[])
{
	size_t size = td_environment_size_at(AT_FDCWD, path, envp);
	char **without_us = td_environment_without_us(envp, ROOM(size));

	return td_real()->posix_spawn(pid, path, actions, attributes, argv, without_us);
}

TD_EXPORT int posix_spawnp(pid_t *pid, const char *file,
			   const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const argv[],
			   char *const envp[])
{
	size_t size = td_environment_size_in_path(file, envp);
	char **without_us = td_environment_without_us(envp, ROOM(size));

	return td_real()->posix_spawnp(pid, file, actions, attributes, argv, without_us);
}
