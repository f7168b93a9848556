// SPDX-License-Identifier: MIT
/*
 * Runs a program on a machine whose PMU seems to sample retire latencies.
 *
 *     precise FILE OFFSET:LATENCY:RECORDS... -- [NAME=value...] PROGRAM [ARGUMENT...]
 *
 * Who opens an event for them gets a ring that is full already: of each OFFSET in FILE,
 * which is mapped (hexadecimal), so many records, whose latencies are LATENCY - 1,
 * LATENCY and LATENCY + 1 in turn, and a record of five lost ones.  The kernel has no
 * part in it; all other events are its own.  Where PERIODS names a file, each period that
 * is set gets a line in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/prog/notify.h"

#define PAGE 4096u
#define RING (8 * PAGE)
#define LOST 5u
#define NAME "precise"

struct weights {
	const char *file;
	char **records; /* OFFSET:LATENCY:RECORDS, up to "--" */
};

/* Where the file is mapped first. */
static uint64_t base_of(pid_t pid, const char *file)
{
	char path[32], line[512];
	uint64_t base = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		char *name = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if (!base && name && !strcmp(name, file))
			base = strtoull(line, NULL, 16);
	}
	if (maps)
		fclose(maps);
	return base;
}

static uint64_t *put(uint64_t *at, uint32_t type, uint64_t first, uint64_t second)
{
	struct perf_event_header header = {.type = type, .size = 24};

	memcpy(at, &header, sizeof(header));
	at[1] = first;
	at[2] = second;
	return at + 3;
}

static uint64_t *put_records(uint64_t *at, uint64_t base, const char *what)
{
	unsigned long offset, latency, n;

	if (sscanf(what, "%lx:%lu:%lu", &offset, &latency, &n) != 3)
		notify_die(what);
	for (unsigned long i = 0; i < n; i++) {
		union perf_sample_weight weight = {
			.var1_dw = 1000,
			.var2_w = 2000,
			.var3_w = (uint16_t)(latency + i % 3 - 1)};

		at = put(at, PERF_RECORD_SAMPLE, base + offset + i % 4, weight.full);
	}
	return at;
}

/* A file that looks like the event's ring. */
static int make_ring(pid_t pid, const struct weights *weights)
{
	int fd = memfd_create(NAME, 0);
	struct perf_event_mmap_page *page;
	uint64_t *data, *at, base = base_of(pid, weights->file);

	if (fd < 0 || ftruncate(fd, PAGE + RING))
		notify_die("memfd");
	page = mmap(NULL, PAGE + RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		notify_die("mmap");
	at = data = (uint64_t *)((char *)page + PAGE);
	for (char **r = weights->records; strcmp(*r, "--"); r++)
		at = put_records(at, base, *r);
	at = put(at, PERF_RECORD_LOST, 1, LOST);
	page->data_head = (uint64_t)((char *)at - (char *)data);
	munmap(page, PAGE + RING);
	return fd;
}

/* Is it the event that we are there for? */
static int is_wanted(pid_t pid, uint64_t at)
{
	struct perf_event_attr attr;
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = pread(fd, &attr, sizeof(attr), (off_t)at);
	close(fd);
	return n == (ssize_t)sizeof(attr) &&
	       attr.sample_type == (PERF_SAMPLE_IP | PERF_SAMPLE_WEIGHT_STRUCT) &&
	       attr.precise_ip == 2 && attr.exclude_kernel && attr.sample_period;
}

static int is_ring(pid_t pid, uint64_t fd)
{
	char path[64], file[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, (int)fd);
	n = readlink(path, file, sizeof(file) - 1);
	file[n > 0 ? n : 0] = '\0';
	return strstr(file, "memfd:" NAME) != NULL;
}

/* In the memory of who called. */
static void note_period(pid_t pid, uint64_t at)
{
	const char *name = getenv("PERIODS");
	FILE *file = name ? fopen(name, "a") : NULL;
	uint64_t period = 0;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (pread(fd, &period, sizeof(period), (off_t)at) != sizeof(period))
		notify_die(path);
	close(fd);
	if (file && (fprintf(file, "%lu\n", (unsigned long)period), fclose(file)))
		notify_die(name);
}

static void answer_one(void *context, int listener, const struct seccomp_notif *call,
		       struct seccomp_notif_resp *answer)
{
	pid_t pid = (pid_t)call->pid;
	uint64_t first = call->data.args[0];

	if (call->data.nr == SYS_perf_event_open && is_wanted(pid, first)) {
		struct seccomp_notif_addfd add = {
			.id = call->id,
			.srcfd = (uint32_t)make_ring(pid, context),
			.newfd_flags = O_CLOEXEC,
		};

		answer->val = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
		answer->error = answer->val < 0 ? -errno : 0;
		close((int)add.srcfd);
	} else if (call->data.nr == SYS_perf_event_open || !is_ring(pid, first)) {
		answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	} else if (call->data.args[1] == PERF_EVENT_IOC_PERIOD) {
		note_period(pid, call->data.args[2]);
	}
}

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 5, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PERF_EVENT_IOC_ENABLE, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PERF_EVENT_IOC_DISABLE, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PERF_EVENT_IOC_PERIOD, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct weights weights = {.file = argv[1], .records = argv + 2};
	int first = 2;

	while (first < argc && strcmp(argv[first], "--"))
		first++;
	if (first + 1 >= argc) {
		fprintf(stderr, "usage: precise FILE OFFSET:LATENCY:RECORDS... -- "
				"PROGRAM [ARGUMENT...]\n");
		return 99;
	}
	return notify_end(notify_run(filter, sizeof(filter) / sizeof(filter[0]),
				     argv + first + 1, answer_one, &weights));
}
