// SPDX-License-Identifier: MIT
#include "tools/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "decoder/collect.h"
#include "tools/audit_code.h"
#include "tools/collect_ring.h"

#define PAGE 4096u
#define SOON_MS 20 /* after a new ring: what the program begins with */
#define RINGS_MAX 4096u

struct process {
	uint32_t pid;
	struct td_audit_code *code;
};

/* All but the two ends of the pipe is the thread's while it runs. */
struct td_collector {
	int socket;
	int stop[2]; /* written to end the thread */
	pthread_t thread;
	bool running;
	struct td_collect_ring *ring;
	size_t rings;
	struct process *process;
	size_t processes;
};

static int open_socket(char *name, size_t size)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	uint64_t secret;
	socklen_t length;
	int yes = 1;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || getrandom(&secret, sizeof(secret), 0) != sizeof(secret))
		goto fail;
	snprintf(name, size, "tdagent-%d-%016lx", (int)getpid(), (unsigned long)secret);
	strcpy(address.sun_path + 1, name);
	length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
	/* from the first message on */
	setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes));
	if (!bind(fd, (struct sockaddr *)&address, length))
		return fd;
fail:
	if (fd >= 0)
		close(fd);
	return -1;
}

struct td_collector *td_collector_open(char **setting)
{
	struct td_collector *collector = calloc(1, sizeof(*collector));
	char name[64];

	if (!collector)
		return NULL;
	collector->socket = open_socket(name, sizeof(name));
	if (collector->socket < 0)
		goto fail;
	if (pipe2(collector->stop, O_CLOEXEC))
		goto fail_socket;
	if (asprintf(setting, "%s=%s", TD_COLLECT_VARIABLE, name) >= 0)
		return collector;
	close(collector->stop[0]);
	close(collector->stop[1]);
fail_socket:
	close(collector->socket);
fail:
	free(collector);
	return NULL;
}

static struct td_audit_code *code_of(struct td_collector *collector, uint32_t pid)
{
	struct process *grown;

	for (size_t i = 0; i < collector->processes; i++)
		if (collector->process[i].pid == pid)
			return collector->process[i].code;
	grown = reallocarray(collector->process, collector->processes + 1,
			     sizeof(*grown));
	if (!grown)
		return NULL;
	collector->process = grown;
	grown[collector->processes] =
		(struct process){pid, td_audit_code_new((pid_t)pid)};
	if (!grown[collector->processes].code)
		return NULL;
	return grown[collector->processes++].code;
}

static void drop_ring(struct td_collector *collector, size_t index)
{
	struct td_collect_ring *ring = &collector->ring[index];

	munmap((void *)ring->page, PAGE + ring->from.ring_size);
	close(ring->profile);
	*ring = collector->ring[--collector->rings];
}

/* The mapping keeps the ring and its event, without the descriptor. */
static bool add_ring(struct td_collector *collector,
		     const struct td_collect_message *message, const int *fds)
{
	struct td_collect_ring *grown;
	void *page;

	if (collector->rings == RINGS_MAX || !code_of(collector, message->pid))
		return false;
	grown = reallocarray(collector->ring, collector->rings + 1, sizeof(*grown));
	if (!grown)
		return false;
	collector->ring = grown;
	page = mmap(NULL, PAGE + message->ring_size, PROT_READ, MAP_SHARED, fds[0], 0);
	if (page == MAP_FAILED)
		return false;
	grown[collector->rings++] = (struct td_collect_ring){
		.from = *message, .profile = fds[1], .page = page};
	return true;
}

static void end_ring(struct td_collector *collector,
		     const struct td_collect_message *message)
{
	for (size_t i = 0; i < collector->rings; i++) {
		const struct td_collect_message *m = &collector->ring[i].from;

		if (m->pid == message->pid && m->id[0][0] == message->id[0][0]) {
			drop_ring(collector, i);
			return;
		}
	}
}

/* Who sends has our user's rights, or we would not get it. */
static bool comes_from_us(const struct msghdr *letter, uint32_t pid, int *fds)
{
	bool ours = false;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(letter); c;
	     c = CMSG_NXTHDR((struct msghdr *)(uintptr_t)letter, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
			struct ucred sender;

			memcpy(&sender, CMSG_DATA(c), sizeof(sender));
			ours = (sender.uid == getuid() || !sender.uid) &&
			       (uint32_t)sender.pid == pid;
		}
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			memcpy(fds, CMSG_DATA(c),
			       c->cmsg_len >= CMSG_LEN(2 * sizeof(int)) ? 2 * sizeof(int)
									: sizeof(int));
	}
	return ours;
}

static bool take_message(struct td_collector *collector)
{
	struct td_collect_message message;
	struct sockaddr_un sender;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int)) +
			   CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec data = {&message, sizeof(message)};
	struct msghdr letter = {
		.msg_name = &sender,
		.msg_namelen = sizeof(sender),
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t size =
		recvmsg(collector->socket, &letter, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int fds[2] = {-1, -1};
	bool sound, kept = false;

	if (size < 0)
		return false;
	sound = comes_from_us(&letter, message.pid, fds) &&
		td_collect_message_is_sound(&message, (size_t)size);
	if (sound && message.kind == TD_COLLECT_RING && fds[0] >= 0 && fds[1] >= 0)
		kept = add_ring(collector, &message, fds);
	if (sound && message.kind == TD_COLLECT_END) {
		end_ring(collector, &message);
		sendto(collector->socket, &message, sizeof(message),
		       MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&sender,
		       letter.msg_namelen);
	}
	if (fds[0] >= 0)
		close(fds[0]);
	if (fds[1] >= 0 && !kept)
		close(fds[1]);
	return true;
}

/* The code of new records, while it is there to be read. */
static void look(struct td_collector *collector)
{
	for (size_t i = 0; i < collector->processes; i++)
		td_audit_code_refresh(collector->process[i].code);
	for (size_t i = 0; i < collector->rings; i++) {
		struct td_collect_ring *ring = &collector->ring[i];
		struct td_audit_code *code = code_of(collector, ring->from.pid);
		uint64_t begin = td_collect_ring_begin(ring);
		struct td_collect_record record;

		/* positions only grow: behind either of the two is old */
		if ((int64_t)(begin - ring->seen) > 0)
			ring->seen = begin;
		while (code && td_collect_ring_next(ring, &ring->seen, &record))
			td_audit_code_function(code, record.ip);
	}
}

static void *collect(void *argument)
{
	struct td_collector *collector = argument;
	struct pollfd wait[2] = {{.fd = collector->socket, .events = POLLIN},
				 {.fd = collector->stop[0], .events = POLLIN}};
	int timeout = SOON_MS;

	for (;;) {
		int ready = poll(wait, 2, collector->rings ? timeout : -1);

		if (wait[1].revents && ready > 0)
			return NULL;
		if (ready > 0) {
			size_t before = collector->rings;

			while (take_message(collector))
				;
			if (collector->rings > before)
				timeout = SOON_MS;
			continue;
		}
		look(collector);
		timeout = TD_COLLECT_INTERVAL_MS;
	}
}

void td_collector_start(struct td_collector *collector)
{
	sigset_t all, saved;

	/* signals are for the main thread, which passes them on */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved);
	collector->running =
		!pthread_create(&collector->thread, NULL, collect, collector);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

/* A zombie has no memory any more. */
static bool is_gone(uint32_t pid)
{
	char path[32], first;
	ssize_t got = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT;
	got = read(fd, &first, 1);
	close(fd);
	return got == 0 || (got < 0 && errno == ESRCH);
}

/* Those that still run have their rings themselves. */
static void save_all(struct td_collector *collector)
{
	while (collector->rings) {
		const struct td_collect_ring *ring = &collector->ring[0];

		if (is_gone(ring->from.pid))
			td_collect_ring_save(ring, code_of(collector, ring->from.pid));
		drop_ring(collector, 0);
	}
}

void td_collector_finish(struct td_collector *collector)
{
	if (collector->running) {
		close(collector->stop[1]);
		collector->stop[1] = -1;
		pthread_join(collector->thread, NULL);
	}
	while (take_message(collector))
		;
	save_all(collector);
	for (size_t i = 0; i < collector->processes; i++)
		td_audit_code_free(collector->process[i].code);
	close(collector->socket);
	close(collector->stop[0]);
	if (collector->stop[1] >= 0)
		close(collector->stop[1]);
	free(collector->ring);
	free(collector->process);
	free(collector);
}
