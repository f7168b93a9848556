// SPDX-License-Identifier: MIT
/*
 * Runs a program as a container would that forbids some system calls.
 *
 *     deny [-k] CALL[,CALL...] PROGRAM [ARGUMENT...]
 *
 * Each CALL of those below fails with EPERM; with -k it ends the process.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned number;
} calls[] = {
	{"perf_event_open", SYS_perf_event_open},
	{"timer_create", SYS_timer_create},
	{"ptrace", SYS_ptrace},
	{"clone", SYS_clone},
	{"getpid", SYS_getpid},
	{"madvise", SYS_madvise},
	{"sched_setaffinity", SYS_sched_setaffinity},
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

static int forbid(unsigned number, unsigned how)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, how),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	unsigned how = SECCOMP_RET_ERRNO | EPERM;

	if (argc > 1 && !strcmp(argv[1], "-k")) {
		how = SECCOMP_RET_KILL_PROCESS;
		argv++;
		argc--;
	}
	if (argc < 3) {
		fprintf(stderr,
			"usage: deny [-k] CALL[,CALL...] PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ",")) {
		size_t i = 0;

		while (i < CALLS && strcmp(name, calls[i].name))
			i++;
		if (i == CALLS || forbid(calls[i].number, how)) {
			fprintf(stderr, "deny: cannot forbid %s\n", name);
			return 2;
		}
	}
	execvp(argv[2], &argv[2]);
	perror("deny");
	return 127;
}
