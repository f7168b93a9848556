// SPDX-License-Identifier: MIT
/* member NUMBER PROGRAM [ARG...]: PROGRAM as a member of so many groups; for root. */
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST 100000 /* group */
#define MOST 65536

int main(int argc, char **argv)
{
	static gid_t group[MOST];
	size_t n = argc > 2 ? (size_t)atoi(argv[1]) : MOST + 1;

	if (n > MOST) {
		fprintf(stderr, "usage: member NUMBER PROGRAM [ARG...]\n");
		return 99;
	}
	for (size_t i = 0; i < n; i++)
		group[i] = FIRST + (gid_t)i;
	if (setgroups(n, group) != 0) {
		perror("member: setgroups");
		return 99;
	}
	execv(argv[2], argv + 2);
	perror(argv[2]);
	return 99;
}
