// SPDX-License-Identifier: MIT
/*
 * Closes every descriptor, as daemons do, and goes on: opens files, works,
 * writes to the files and reads them back.
 *
 *     closeall loop|range|from FIRST
 *
 * closes FIRST and above.  The numbers of the descriptors that it gets, and
 * whether each file holds what was written, go to the file result0; file0 and
 * so on are the files.  All are in the working directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/prog/spin.h"

#define FILES 32
#define LINES 200

static int close_all(const char *how, int first)
{
	if (!strcmp(how, "loop")) {
		for (int fd = first; fd < 4096; fd++)
			close(fd);
		return 0;
	}
	if (!strcmp(how, "range"))
		return close_range((unsigned)first, ~0u, 0);
	if (strcmp(how, "from"))
		return -1;
	closefrom(first);
	return 0;
}

static int open_file(const char *name, int number)
{
	char path[32];

	snprintf(path, sizeof(path), "%s%d", name, number);
	return open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static bool write_line(int fd, int number, int line)
{
	char text[64];
	int size = snprintf(text, sizeof(text), "file %d line %d\n", number, line);

	return write(fd, text, (size_t)size) == size;
}

static bool intact(int fd, int number)
{
	char text[64], found[64];
	off_t at = 0;

	for (int line = 0; line < LINES; line++) {
		int size =
			snprintf(text, sizeof(text), "file %d line %d\n", number, line);

		if (pread(fd, found, (size_t)size, at) != size ||
		    memcmp(text, found, (size_t)size))
			return false;
		at += size;
	}
	return lseek(fd, 0, SEEK_END) == at;
}

int main(int argc, char **argv)
{
	int fds[FILES], result;
	char line[64];

	if (argc != 3)
		return 2;
	spin_ms(30);
	if (close_all(argv[1], atoi(argv[2])))
		return 3;
	result = open_file("result", 0);
	for (int i = 0; i < FILES; i++)
		fds[i] = open_file("file", i);
	for (int n = 0; n < LINES; n++) {
		spin_ms(1);
		for (int i = 0; i < FILES; i++)
			if (!write_line(fds[i], i, n))
				return 4;
	}
	dprintf(result, "result is descriptor %d\n", result);
	for (int i = 0; i < FILES; i++) {
		int size = snprintf(line, sizeof(line), "file %d is descriptor %d, %s\n",
				    i, fds[i], intact(fds[i], i) ? "intact" : "DAMAGED");

		if (write(result, line, (size_t)size) != size)
			return 5;
	}
	return 0;
}
