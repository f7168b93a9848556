// SPDX-License-Identifier: MIT
#include "decoder/preload.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "decoder/native.h"

#define SEGMENTS_MAX 512

/* What is known of the file when all segments are read. */
struct image {
	int fd;
	Elf64_Ehdr header;
	Elf64_Phdr interpreter, dynamic; /* p_type PT_NULL: none */
};

static bool read_at(int fd, void *bytes, size_t size, Elf64_Off offset)
{
	return pread(fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* A name that may be longer; "" if it cannot be read. */
static void read_name(int fd, char *name, size_t size, Elf64_Off offset)
{
	ssize_t length = pread(fd, name, size - 1, (off_t)offset);

	name[length < 0 ? 0 : length] = '\0';
}

static bool segment_read(const struct image *image, unsigned i, Elf64_Phdr *segment)
{
	return i < image->header.e_phnum && i < SEGMENTS_MAX &&
	       read_at(image->fd, segment, sizeof(*segment),
		       image->header.e_phoff + i * sizeof(*segment));
}

static bool image_read(struct image *image)
{
	const Elf64_Ehdr *header = &image->header;
	Elf64_Phdr segment;

	if (!read_at(image->fd, &image->header, sizeof(*header), 0) ||
	    memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] != ELFDATA2LSB ||
	    header->e_machine != TD_NATIVE_MACHINE ||
	    header->e_phentsize != sizeof(segment))
		return false;
	for (unsigned i = 0; segment_read(image, i, &segment); i++)
		if (segment.p_type == PT_INTERP)
			image->interpreter = segment;
		else if (segment.p_type == PT_DYNAMIC)
			image->dynamic = segment;
	return true;
}

static bool dynamic_read(const struct image *image, size_t i, Elf64_Dyn *entry)
{
	return (i + 1) * sizeof(*entry) <= image->dynamic.p_filesz &&
	       read_at(image->fd, entry, sizeof(*entry),
		       image->dynamic.p_offset + i * sizeof(*entry)) &&
	       entry->d_tag != DT_NULL;
}

/* Where an address of the program stands in its file, 0 if it does not. */
static Elf64_Off offset_of(const struct image *image, Elf64_Addr address)
{
	Elf64_Phdr segment;

	for (unsigned i = 0; segment_read(image, i, &segment); i++)
		if (segment.p_type == PT_LOAD &&
		    address - segment.p_vaddr < segment.p_filesz)
			return segment.p_offset + (address - segment.p_vaddr);
	return 0;
}

static bool is_sanitizer(const char *name)
{
	return strncmp(name, "libasan.so", 10) == 0 ||
	       strncmp(name, "libclang_rt.asan", 16) == 0;
}

/* Of the libraries that it names: none, AddressSanitizer's runtime among them (its
 * `name`), or others. */
static enum td_preload judge_needed(const struct image *image, char *name)
{
	enum td_preload found = TD_PRELOAD_ALONE;
	Elf64_Off strings = 0;
	Elf64_Dyn entry;

	for (size_t i = 0; dynamic_read(image, i, &entry); i++)
		if (entry.d_tag == DT_STRTAB)
			strings = offset_of(image, entry.d_un.d_ptr);
	for (size_t i = 0; dynamic_read(image, i, &entry); i++) {
		if (entry.d_tag != DT_NEEDED)
			continue;
		found = TD_PRELOAD_WELL;
		if (!strings)
			break;
		read_name(image->fd, name, TD_PRELOAD_NAME, strings + entry.d_un.d_val);
		if (is_sanitizer(name))
			return TD_PRELOAD_SANITIZER;
	}
	return found;
}

enum td_preload td_preload_into(int elf, char name[TD_PRELOAD_NAME])
{
	struct image image = {.fd = elf};
	const char *slash;

	if (!image_read(&image))
		return TD_PRELOAD_MACHINE;
	if (image.interpreter.p_type == PT_NULL)
		return TD_PRELOAD_STATIC;
	read_name(elf, name, TD_PRELOAD_NAME, image.interpreter.p_offset);
	slash = strrchr(name, '/');
	if (strcmp(slash ? slash + 1 : name, TD_NATIVE_LOADER) != 0)
		return TD_PRELOAD_LIBC;
	return image.dynamic.p_type == PT_NULL ? TD_PRELOAD_WELL
					       : judge_needed(&image, name);
}

size_t td_preload_sanitizer(const char *list)
{
	size_t length = strcspn(list, " :");
	const char *name = memrchr(list, '/', length);

	return is_sanitizer(name ? name + 1 : list) ? length : 0;
}
