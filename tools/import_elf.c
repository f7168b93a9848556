// SPDX-License-Identifier: MIT
#include "tools/import_elf.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void read_segments(struct td_import_elf *elf, Elf *file)
{
	size_t count, room = sizeof(elf->segment) / sizeof(elf->segment[0]);

	if (elf_getphdrnum(file, &count) != 0)
		return;
	for (size_t i = 0; i < count && elf->segments < room; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(file, (int)i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		elf->segment[elf->segments++] = (struct td_import_segment){
			phdr.p_offset, phdr.p_filesz, phdr.p_vaddr};
	}
	elf->is_elf = elf->segments != 0;
}

void td_import_elf_read(struct td_import_elf *elf, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	Elf *file;

	memset(elf, 0, sizeof(*elf));
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		elf->is_file = 1;
		elf_version(EV_CURRENT);
		file = elf_begin(fd, ELF_C_READ, NULL);
		if (file) {
			read_segments(elf, file);
			elf_end(file);
		}
	}
	close(fd);
}

uint64_t td_import_elf_address(const struct td_import_elf *elf, uint64_t offset)
{
	for (size_t i = 0; i < elf->segments; i++) {
		const struct td_import_segment *segment = &elf->segment[i];

		if (offset >= segment->offset && offset - segment->offset < segment->size)
			return offset - segment->offset + segment->address;
	}
	return offset;
}
