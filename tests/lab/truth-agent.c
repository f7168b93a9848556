// SPDX-License-Identifier: MIT
#include "truth-agent.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

#define PARTS_MAX 1024
#define OTHERS 1 /* the phase of processes that have not declared themselves */

/* One cycle an instruction, so that slots count instructions, too. */
static const struct labpmu_mix agent_mix = {1500, 500, 6000, 2000, 200, 300, 5000, 1200};

static struct agent {
	const char *base;
	const char *start, *stop; /* its code, NULL: there is no agent */
	int number;
} agent = {NULL, NULL, NULL, -1};

static struct part {
	char name[64];
	uint64_t start, size;
	int number;
} parts[PARTS_MAX];
static size_t parts_used;

static int find_agent(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (!strstr(info->dlpi_name, "libtdagent"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		agent.base = (const char *)info->dlpi_addr;
		agent.start = agent.base + segment->p_vaddr;
		agent.stop = agent.start + segment->p_memsz;
	}
	return 0;
}

static void read_parts(const char *path)
{
	FILE *file = fopen(path, "r");
	struct part part = {.number = -1};

	while (file && parts_used < PARTS_MAX &&
	       fscanf(file, "%lx %lx %63s", &part.start, &part.size, part.name) == 3)
		parts[parts_used++] = part;
	if (file)
		fclose(file);
}

void lab_agent_declare(const char *path)
{
	/* the next process', before it is as far as this one */
	labpmu_param(OTHERS, 1.0, &agent_mix);
	dl_iterate_phdr(find_agent, NULL);
	if (!agent.start)
		return;
	if (path)
		read_parts(path);
	for (size_t i = 0; i < parts_used; i++) {
		const char *start = agent.base + parts[i].start;

		parts[i].number =
			labpmu_add(start, start + parts[i].size, 1.0, &agent_mix);
	}
	if (!parts_used)
		agent.number = labpmu_add(agent.start, agent.stop, 1.0, &agent_mix);
}

void lab_agent_read(int slot, struct labpmu_truth *truth)
{
	memset(truth, 0, sizeof(*truth));
	if (agent.number < 0)
		return;
	if (slot < 0)
		labpmu_read((uint64_t)agent.number, truth);
	else
		labpmu_read_thread((uint64_t)agent.number, slot, truth);
}

/* Reads everything first: printing is work, too. */
void lab_agent_print_parts(void (*print)(const char *, const struct labpmu_truth *))
{
	static struct labpmu_truth truth[PARTS_MAX];

	for (size_t i = 0; i < parts_used; i++)
		labpmu_read((uint64_t)parts[i].number, &truth[i]);
	for (size_t i = 0; i < parts_used; i++)
		print(parts[i].name, &truth[i]);
}
