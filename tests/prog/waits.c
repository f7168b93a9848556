// SPDX-License-Identifier: MIT
/*
 * Works a little and waits a little, by every call that signal(7) says is not restarted
 * after a handler, whatever the handler's flags are, and by some that are; prints how
 * many of the waits ended by EINTR, or before their time.
 *
 *     waits [ROUNDS]
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "tests/prog/spin.h"

#define NAP_NS 150000

static const struct timespec nap = {0, NAP_NS};
static int pipe_fds[2], sockets[2], epoll, timer, semaphores = -1;
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static struct timespec soon(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_nsec += NAP_NS;
	if (now.tv_nsec >= 1000000000) {
		now.tv_nsec -= 1000000000;
		now.tv_sec++;
	}
	return now;
}

/* Each returns 0, or an errno that means the wait was cut short. */
static int only(int result, int expected)
{
	return result == -1 && errno == expected ? 0 : result == -1 ? errno : 0;
}

static int by_nanosleep(void)
{
	return nanosleep(&nap, NULL) ? errno : 0;
}

static int by_clock_nanosleep(void)
{
	return clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
}

static int by_clock_nanosleep_until(void)
{
	struct timespec until = soon();

	return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
}

static int by_usleep(void)
{
	return usleep(NAP_NS / 1000) ? errno : 0;
}

static int by_poll(void)
{
	struct pollfd end = {.fd = pipe_fds[0], .events = POLLIN};

	return poll(&end, 1, 1) < 0 ? errno : 0;
}

static int by_ppoll(void)
{
	struct pollfd end = {.fd = pipe_fds[0], .events = POLLIN};

	return ppoll(&end, 1, &nap, NULL) < 0 ? errno : 0;
}

static int by_select(void)
{
	struct timeval room = {0, NAP_NS / 1000};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(pipe_fds[0], &set);
	return select(pipe_fds[0] + 1, &set, NULL, NULL, &room) < 0 ? errno : 0;
}

static int by_pselect(void)
{
	sigset_t none;

	sigemptyset(&none);
	return pselect(0, NULL, NULL, NULL, &nap, &none) < 0 ? errno : 0;
}

static int by_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, 1) < 0 ? errno : 0;
}

static int by_sigtimedwait(void)
{
	sigset_t none;

	sigemptyset(&none);
	return only(sigtimedwait(&none, NULL, &nap), EAGAIN);
}

static int by_semaphores(void)
{
	struct sembuf take = {.sem_op = -1};

	return only(semtimedop(semaphores, &take, 1, &nap), EAGAIN);
}

static int by_receive(void)
{
	char byte;

	return only((int)recv(sockets[0], &byte, 1, 0), EAGAIN);
}

static int by_read_of_timer(void)
{
	struct itimerspec once = {.it_value = nap};
	uint64_t expired;

	timerfd_settime(timer, 0, &once, NULL);
	return only((int)read(timer, &expired, sizeof(expired)), 0);
}

static int by_sem_timedwait(void)
{
	struct timespec until = soon();

	return only(sem_timedwait(&semaphore, &until), ETIMEDOUT);
}

static int by_futex(void)
{
	static uint32_t word;

	return only((int)syscall(SYS_futex, &word, FUTEX_WAIT, 0, &nap, NULL, 0),
		    ETIMEDOUT);
}

static int by_condition(void)
{
	struct timespec until = soon();
	int error;

	pthread_mutex_lock(&mutex);
	error = pthread_cond_timedwait(&condition, &mutex, &until);
	pthread_mutex_unlock(&mutex);
	return error == ETIMEDOUT ? 0 : error;
}

/* No time ends these: another thread does, by a signal of the program's, and each of
 * them is to end once for it. */
static atomic_int handled, asked;
static atomic_bool over;
static pthread_t waiter;

static void on_signal(int number)
{
	(void)number;
	atomic_fetch_add(&handled, 1);
}

static void *wake(void *unused)
{
	int sent = 0;

	while (!atomic_load(&over)) {
		if (atomic_load(&asked) > sent) {
			sent++;
			pthread_kill(waiter, SIGUSR1);
		}
		usleep(100);
	}
	return unused;
}

/* SIGUSR1 is blocked outside of it: a signal cannot come before the wait. */
static int by_sigsuspend(void)
{
	sigset_t none;
	int before = atomic_load(&handled);

	sigemptyset(&none);
	atomic_fetch_add(&asked, 1);
	sigsuspend(&none);
	return atomic_load(&handled) == before ? EINTR : 0;
}

static int by_endless_ppoll(void)
{
	sigset_t none;
	int before = atomic_load(&handled);

	sigemptyset(&none);
	atomic_fetch_add(&asked, 1);
	ppoll(NULL, 0, NULL, &none);
	return atomic_load(&handled) == before ? EINTR : 0;
}

static const struct {
	const char *name;
	int (*wait)(void);
} waits[] = {
	{"nanosleep", by_nanosleep},
	{"clock_nanosleep", by_clock_nanosleep},
	{"clock_nanosleep until", by_clock_nanosleep_until},
	{"usleep", by_usleep},
	{"poll", by_poll},
	{"ppoll", by_ppoll},
	{"select", by_select},
	{"pselect", by_pselect},
	{"epoll_wait", by_epoll},
	{"sigtimedwait", by_sigtimedwait},
	{"semtimedop", by_semaphores},
	{"recv with a time limit", by_receive},
	{"read of a timerfd", by_read_of_timer},
	{"sem_timedwait", by_sem_timedwait},
	{"futex", by_futex},
	{"pthread_cond_timedwait", by_condition},
	{"sigsuspend", by_sigsuspend},
	{"ppoll for ever", by_endless_ppoll},
};

static int prepare(void)
{
	struct timeval limit = {0, NAP_NS / 1000};

	epoll = epoll_create1(EPOLL_CLOEXEC);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	sem_init(&semaphore, 0, 0);
	return pipe(pipe_fds) || socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) ||
	       setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

/* From 0 to 0.4 ms, so that periods end anywhere, right before the wait too. */
static SPIN_NOINLINE void waits_work(void)
{
	static uint32_t state = 1;
	uint64_t spent = 0;

	state = state * 1664525u + 1013904223u;
	spin_to(&spent, (state >> 8) % 400000);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	struct sigaction action = {.sa_handler = on_signal};
	pthread_t waker;
	sigset_t usr1;

	waiter = pthread_self();
	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	if (prepare() || pthread_create(&waker, NULL, wake, NULL))
		return 1;
	pthread_sigmask(SIG_BLOCK, &usr1, NULL);
	for (size_t k = 0; k < sizeof(waits) / sizeof(waits[0]); k++) {
		int woken = 0;

		for (int i = 0; i < rounds; i++) {
			waits_work();
			woken += waits[k].wait() != 0;
		}
		printf("%s: woken %d times\n", waits[k].name, woken);
	}
	atomic_store(&over, true);
	pthread_join(waker, NULL);
	if (semaphores >= 0)
		semctl(semaphores, 0, IPC_RMID);
	return 0;
}
