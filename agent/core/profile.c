// SPDX-License-Identifier: MIT
#include "agent/core/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/core/core.h"
#include "agent/core/facts.h"
#include "agent/core/log.h"
#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/path.h"
#include "agent/sigsafe/proc.h"
#include "agent/sigsafe/store.h"
#include "agent/sigsafe/syscall.h"
#include "agent/sigsafe/windows.h"
#include "decoder/directory.h"

#define FIRST_BLOCKS 8u
#define MAP_MOST ((uint64_t)TD_BLOCKS_MAX * TD_BLOCK_SIZE)
#define SMALLEST_MAP (1024u * 1024u) /* tried before giving up, under RLIMIT_AS */
#define TRIES 100                    /* images that one process may go through */

/* What is large here is static: a thread with the smallest of stacks may fork, and
 * its child is alone. */

/* Others must not be able to put their files in the place of ours. */
static int make_directory(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return -errno;
	if (lstat(path, &st) != 0)
		return -errno;
	return td_directory_fault(&st, geteuid()) ? -EPERM : 0;
}

static const char *program_name(const char *exe)
{
	const char *slash = strrchr(exe, '/');

	return slash && slash[1] ? slash + 1 : "program";
}

/* The directory of profiles that were given no name. */
static int default_path(const struct td_file_header *header, char *path, size_t size)
{
	size_t used;
	int error = td_directory_path(getenv("TMPDIR"), geteuid(), path, size);

	if (!error)
		error = make_directory(path);
	if (error)
		return error;
	used = strlen(path);
	return td_output_expand("/%e.%p.tdp", header->pid, program_name(header->exe),
				path + used, size - used);
}

/* The path that the options ask for, before collisions; absolute, as the
 * program may go elsewhere before the report is printed. */
static int wanted_path(const struct td_file_header *header, char *path, size_t size)
{
	static char given[TD_PATH_MAX];
	int error;

	if (td_core.options.output[0])
		error = td_output_expand(td_core.options.output, header->pid,
					 program_name(header->exe), given, sizeof(given));
	else
		error = default_path(header, given, sizeof(given));
	td_path_absolute(path, given, size);
	return error;
}

/* What is at `path`: -EISDIR or -EEXIST somebody else's, -EBUSY a profile of a
 * live process (also this one, before exec), 0 nothing worth keeping. */
static int look_at(const char *path)
{
	static struct td_file_header header;
	static char text[sizeof(header) + 1];
	struct stat st;
	long length;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EEXIST;
	if (st.st_size == 0)
		return 0;
	length = td_proc_read(path, text, sizeof(text));
	if (length < (long)sizeof(header.magic) ||
	    memcmp(text, TD_FILE_MAGIC, sizeof(header.magic)) != 0)
		return -EEXIST;
	if (length < (long)TD_HEADER_OLDEST)
		return 0; /* killed as it began */
	memcpy(&header, text, sizeof(header));
	return td_facts_process_start(header.pid) == header.process_start ? -EBUSY : 0;
}

static int clear_at(const char *path)
{
	int error = look_at(path);

	if (!error)
		unlink(path); /* an old profile, which somebody may have mapped */
	return error;
}

static int create_at(const char *path)
{
	int error = clear_at(path);
	int fd;

	if (error)
		return error;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return fd < 0 ? -errno : fd;
}

/* `wanted` with something added before its last dot. */
static void vary(const char *wanted, uint32_t pid, int n, char *path, size_t size)
{
	const char *slash = strrchr(wanted, '/');
	const char *dot = strrchr(slash ? slash : wanted, '.');
	int stem = (int)(dot ? dot - wanted : (long)strlen(wanted));
	char number[32] = "";

	if (n > 1)
		snprintf(number, sizeof(number), "-%d", n);
	snprintf(path, size, "%.*s.%u%s%s", stem, wanted, pid, number, dot ? dot : "");
}

/* A name that is taken by a running process gets our pid, then a number: the first
 * at which `take` does not find one.  `next` is the one after it.  Returns what
 * `take` does. */
static int find_name(const struct td_file_header *header, int (*take)(const char *),
		     char *path, char *next)
{
	static char wanted[sizeof(td_core.path) - 32];
	int result = wanted_path(header, wanted, sizeof(wanted));

	snprintf(path, sizeof(td_core.path), "%s", wanted);
	if (result < 0)
		return result;
	for (int n = 0; n < TRIES; n++) {
		vary(wanted, header->pid, n + 1, next, sizeof(td_core.path));
		result = take(path);
		if (result != -EBUSY && !(result == -EEXIST && n > 0))
			return result;
		snprintf(path, sizeof(td_core.path), "%s", next);
	}
	return result;
}

/* SIGXFSZ would end the program. */
static int check_size_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur < FIRST_BLOCKS * TD_BLOCK_SIZE)
		return -EFBIG;
	return 0;
}

static int write_at(int fd, const void *bytes, size_t size, off_t at)
{
	ssize_t n = pwrite(fd, bytes, size, at);

	return n == (ssize_t)size ? 0 : n < 0 ? -errno : -ENOSPC;
}

/* The header, and real room for the first blocks: a full disk shows here and not as
 * SIGBUS.  The header goes first: whoever is killed in between leaves a profile with
 * nothing in it. */
static int begin_file(int fd, const struct td_file_header *header)
{
	static const char zeros[TD_BLOCK_SIZE];
	long error = check_size_limit();

	if (!error)
		error = write_at(fd, header, sizeof(*header), 0);
	if (error)
		return (int)error;
	error = td_syscall4(SYS_fallocate, fd, 0, 0, FIRST_BLOCKS * TD_BLOCK_SIZE);
	if (error != -EOPNOTSUPP && error != -ENOSYS)
		return (int)error;
	error = 0;
	for (unsigned i = TD_HEADER_BLOCKS; i < FIRST_BLOCKS && !error; i++)
		error = write_at(fd, zeros, sizeof(zeros), (off_t)i * TD_BLOCK_SIZE);
	return (int)error;
}

/* Address space for the largest profile; only what is used costs memory. */
static void *map(int fd, uint64_t *size)
{
	void *base;

	for (*size = MAP_MOST; *size >= SMALLEST_MAP; *size /= 4) {
		base = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (base != MAP_FAILED) {
			madvise(base, *size, MADV_DONTFORK); /* a child has its own */
			madvise(base, *size,
				MADV_RANDOM); /* new blocks: nothing to read ahead */
			return base;
		}
	}
	return NULL;
}

static const char *reason_of(int error)
{
	switch (-error) {
	case EEXIST:
		return "it exists and is not a tdagent profile";
	case EFBIG:
		return "the file size limit is too small (ulimit -f)";
	case EPERM:
		return "it is not a directory of yours alone";
	default:
		return strerror(-error);
	}
}

static char next_path[sizeof(td_core.path)]; /* if td_core.path is taken by then */

/* The named file, else memory. */
static int open_storage(const struct td_file_header *header, char *why, size_t size)
{
	int fd = find_name(header, create_at, td_core.path, next_path);
	int error = fd < 0 ? fd : begin_file(fd, header);

	if (!error)
		return fd;
	snprintf(
		why, size,
		"cannot write the profile %s: %s; set TDAGENT_OUTPUT to a place that works",
		td_core.path, reason_of(error));
	if (fd >= 0) {
		unlink(td_core.path);
		close(fd);
	}
	td_core.path[0] = 0;
	fd = memfd_create("tdagent-profile", MFD_CLOEXEC);
	if (fd < 0)
		return error;
	error = begin_file(fd, header);
	if (!error)
		return fd;
	close(fd);
	return error;
}

/* What goes by the size of the mapping. */
static void begin_blocks(void)
{
	td_store.ready_blocks = FIRST_BLOCKS;
	td_store.header->blocks_max = (uint32_t)(td_store.map_size / TD_BLOCK_SIZE);
	td_store.header->windows_max = td_windows_room(td_store.header->blocks_max);
}

static int attach(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	td_store.header = map(fd, &td_store.map_size);
	if (!td_store.header)
		return -ENOMEM;
	td_store.fd = td_descriptor_hide(fd);
	td_store.device = st.st_dev;
	td_store.inode = st.st_ino;
	begin_blocks();
	return 0;
}

/* Memory that the first sample makes a file of.  Where address space is short there
 * is none for the time in between. */
static void *map_memory(void)
{
	struct rlimit limit;
	void *base;

	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY)
		return NULL;
	base = mmap(NULL, MAP_MOST, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return NULL;
	madvise(base, MAP_MOST, MADV_DONTFORK);
	madvise(base, MAP_MOST, MADV_NOHUGEPAGE); /* a few small pages are touched */
	return base;
}

/* All but what /proc says, which takes as long as the rest.  `header` is zeroed. */
static void describe(struct td_file_header *header, uint32_t counters)
{
	memcpy(header->magic, TD_FILE_MAGIC, sizeof(header->magic));
	header->version = TD_FILE_VERSION;
	header->byte_order = TD_FILE_BYTE_ORDER;
	header->block_size = TD_BLOCK_SIZE;
	header->blocks = TD_HEADER_BLOCKS;
	header->object_size = sizeof(struct td_file_object);
	header->thread_size = sizeof(struct td_file_thread);
	header->place_size = TD_PLACE_SIZE(counters);
	header->window_size = sizeof(struct td_file_window);
	header->counters = counters;
	snprintf(header->agent, sizeof(header->agent), "tdagent %s", PACKAGE_VERSION);
	td_facts_fill(header);
}

/* False: it has to be made at once. */
static bool create_later(uint32_t counters)
{
	struct td_file_header *header = map_memory();

	if (!header)
		return false;
	describe(header, counters);
	if (find_name(header, clear_at, td_core.path, next_path) != 0) {
		munmap(header, MAP_MOST);
		return false;
	}
	td_store.header = header;
	td_store.map_size = MAP_MOST;
	begin_blocks();
	_Static_assert(sizeof(td_core.path) == TD_LATER_MAX, "either name fits");
	td_store.otherwise = next_path;
	td_store.later = td_core.path;
	return true;
}

int td_profile_create(uint32_t counters, bool later, char *why, size_t size)
{
	static struct td_file_header header;
	static char problem[sizeof(td_core.path) + 256];
	int fd, error;

	if (later && create_later(counters))
		return 0;
	memset(&header, 0, sizeof(header));
	describe(&header, counters);
	td_proc_describe(&header);
	problem[0] = 0;
	fd = open_storage(&header, problem, sizeof(problem));
	error = fd < 0 ? fd : attach(fd);
	if (error) {
		snprintf(why, size, "%s", problem[0] ? problem : strerror(-error));
		if (fd >= 0)
			close(fd);
		if (td_core.path[0])
			unlink(td_core.path); /* nothing is in it yet */
		td_core.path[0] = 0;
		return error;
	}
	if (problem[0])
		td_core_note("%s", problem);
	return 0;
}

void td_profile_discard(void)
{
	if (td_core.path[0] && !td_store.later)
		unlink(td_core.path);
}

void td_profile_close(int remove)
{
	if (!td_store.header)
		return;
	munmap(td_store.header, td_store.map_size);
	td_descriptor_close(td_store.fd);
	if (remove)
		td_profile_discard();
	td_store_forget();
	td_windows_forget();
}
