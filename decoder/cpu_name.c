// SPDX-License-Identifier: MIT
#include "decoder/cpu_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MIDR_EL1: Arm's Technical Reference Manuals, and those of others. */
static const struct part {
	unsigned implementer, part;
	const char *name;
} parts[] = {
	{0x41, 0xd03, "Arm Cortex-A53"},   {0x41, 0xd04, "Arm Cortex-A35"},
	{0x41, 0xd05, "Arm Cortex-A55"},   {0x41, 0xd07, "Arm Cortex-A57"},
	{0x41, 0xd08, "Arm Cortex-A72"},   {0x41, 0xd09, "Arm Cortex-A73"},
	{0x41, 0xd0a, "Arm Cortex-A75"},   {0x41, 0xd0b, "Arm Cortex-A76"},
	{0x41, 0xd0c, "Arm Neoverse N1"},  {0x41, 0xd40, "Arm Neoverse V1"},
	{0x41, 0xd49, "Arm Neoverse N2"},  {0x41, 0xd4a, "Arm Neoverse E1"},
	{0x41, 0xd4f, "Arm Neoverse V2"},  {0x41, 0xd83, "Arm Neoverse V3AE"},
	{0x41, 0xd84, "Arm Neoverse V3"},  {0x41, 0xd8e, "Arm Neoverse N3"},
	{0x6d, 0xd49, "Azure Cobalt 100"}, {0x46, 0x001, "Fujitsu A64FX"},
	{0x48, 0xd01, "HiSilicon TSV110"}, {0xc0, 0xac3, "Ampere-1"},
};

/* The value of "KEY<blanks>: VALUE", a line of the text; NULL: there is none. */
static const char *value_of(const char *text, const char *key)
{
	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, key, strlen(key)))
			continue;
		at += strlen(key) + strspn(at + strlen(key), " \t");
		if (*at == ':')
			return at + 1 + strspn(at + 1, " \t");
	}
	return NULL;
}

void td_cpu_name(const char *cpuinfo, char *name, size_t size)
{
	const char *model = value_of(cpuinfo, "model name");
	const char *by = value_of(cpuinfo, "CPU implementer");
	const char *part = value_of(cpuinfo, "CPU part");
	unsigned implementer, number;

	snprintf(name, size, "%.*s", model ? (int)strcspn(model, "\n") : 0,
		 model ? model : "");
	if (model || !by || !part)
		return;
	implementer = (unsigned)strtoul(by, NULL, 16);
	number = (unsigned)strtoul(part, NULL, 16);
	snprintf(name, size, "implementer 0x%02x, part 0x%03x", implementer, number);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].implementer == implementer && parts[i].part == number)
			snprintf(name, size, "%s", parts[i].name);
}
