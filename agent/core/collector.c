// SPDX-License-Identifier: MIT
#include "agent/core/collector.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "agent/core/core.h"
#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/syscall.h"
#include "agent/sigsafe/vernier.h"
#include "decoder/collect.h"

/* Its thread answers at once, where it runs at all. */
#define PATIENCE_US 20000

/* Who it is; under the core lock. */
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_size; /* 0: not asked yet, or nobody */
static bool asked;

static bool is_there(void)
{
	const char *name = asked ? NULL : getenv(TD_COLLECT_VARIABLE);
	size_t length = name ? strlen(name) : 0;

	asked = true;
	if (length && length < sizeof(address.sun_path)) {
		memcpy(address.sun_path + 1, name, length);
		address_size =
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
	}
	return address_size != 0;
}

/* A socket of our own, with a name for the answer, that waits for nobody long. */
static int open_socket(void)
{
	static const struct sockaddr_un any = {.sun_family = AF_UNIX};
	static const struct timeval patience = {.tv_usec = PATIENCE_US};
	long fd = td_syscall3(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int hidden;

	if (fd < 0)
		return (int)fd;
	hidden = td_descriptor_hide((int)fd);
	td_syscall3(SYS_bind, hidden, &any, sizeof(any.sun_family));
	td_syscall6(SYS_setsockopt, hidden, SOL_SOCKET, SO_SNDTIMEO, (long)&patience,
		    sizeof(patience), 0);
	td_syscall6(SYS_setsockopt, hidden, SOL_SOCKET, SO_RCVTIMEO, (long)&patience,
		    sizeof(patience), 0);
	return hidden;
}

/* With the descriptors of the ring and the profile, or without any. */
static long send_message(int socket, const struct td_collect_message *message,
			 const int *fds)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = {.bytes = {0}};
	struct iovec data = {(void *)(uintptr_t)message, sizeof(*message)};
	struct msghdr letter = {
		.msg_name = &address,
		.msg_namelen = address_size,
		.msg_iov = &data,
		.msg_iovlen = 1,
	};

	if (fds) {
		letter.msg_control = &control;
		letter.msg_controllen = sizeof(control.bytes);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(2 * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, 2 * sizeof(int));
	}
	return td_syscall3(SYS_sendmsg, socket, &letter, MSG_NOSIGNAL);
}

/* Once it is not there, it is not asked again. */
static void lose(long error)
{
	address_size = 0;
	td_core_note("tdagent run takes no rings (%s): a kill loses what is in them",
		     strerror((int)-error));
}

static void fill(const struct td_thread *thread, struct td_collect_message *message)
{
	const struct td_vernier_shape *shape = &td_vernier_shape;

	*message = (struct td_collect_message){
		.version = TD_COLLECT_VERSION,
		.pid = td_core.pid,
		.ring_size = thread->vernier->ring.size,
		.thread = thread->places.record_ref,
		.groups = shape->groups,
		.totals = !shape->events,
		.sampler = shape->sampler,
		.windows = shape->windows,
		.nodes = shape->nodes,
		.width = shape->width,
		.correction = shape->correction,
		.long_period = thread->plan->long_period,
	};
	memcpy(message->id, thread->vernier->id, sizeof(message->id));
	memcpy(message->values, shape->values, sizeof(message->values));
	memcpy(message->counter, shape->counter, sizeof(message->counter));
}

void td_collector_offer(const struct td_thread *thread, uint32_t tid)
{
	int fds[2] = {thread->vernier->fd[0][td_vernier_shape.sampler], td_store.fd};
	struct td_collect_message message;
	int socket;
	long sent;

	if (!is_there())
		return;
	fill(thread, &message);
	message.kind = TD_COLLECT_RING;
	message.tid = tid;
	socket = open_socket();
	sent = socket < 0 ? socket : send_message(socket, &message, fds);
	td_descriptor_close(socket);
	if (sent < 0)
		lose(sent);
}

void td_collector_withdraw(const struct td_thread *thread)
{
	struct td_collect_message message;
	int socket;

	if (!address_size)
		return;
	fill(thread, &message);
	message.kind = TD_COLLECT_END;
	socket = open_socket();
	if (socket >= 0 && send_message(socket, &message, NULL) > 0)
		td_syscall6(SYS_recvfrom, socket, (long)&message, sizeof(message), 0, 0,
			    0);
	td_descriptor_close(socket);
}
