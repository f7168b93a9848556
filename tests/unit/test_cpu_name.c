// SPDX-License-Identifier: MIT
#include "decoder/cpu_name.h"

#include <check.h>

#include "tests/unit/unit.h"

static const char *name_of(const char *cpuinfo)
{
	static char name[32];

	td_cpu_name(cpuinfo, name, sizeof(name));
	return name;
}

START_TEST(by_model_name)
{
	ck_assert_str_eq(
		name_of("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nstepping\t: 4\n"),
		"Some CPU @ 2 GHz");
	ck_assert_str_eq(name_of("model name : The last line"), "The last line");
	ck_assert_str_eq(name_of("model name\t:\n"), "");
	ck_assert_str_eq(
		name_of("model name : A name that is longer than there is room\n"),
		"A name that is longer than ther");
}
END_TEST

START_TEST(by_numbers)
{
	ck_assert_str_eq(
		name_of("processor\t: 0\nCPU implementer\t: 0x41\n"
			"CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n"),
		"Arm Neoverse N1");
	ck_assert_str_eq(name_of("CPU implementer\t: 0x41\nCPU part\t: 0xd4f\n"),
			 "Arm Neoverse V2");
	ck_assert_str_eq(name_of("CPU implementer\t: 0x41\nCPU part\t: 0xd84\n"),
			 "Arm Neoverse V3");
	ck_assert_str_eq(name_of("CPU implementer\t: 0x6d\nCPU part\t: 0xd49\n"),
			 "Azure Cobalt 100");
	ck_assert_str_eq(name_of("CPU implementer\t: 0x00\nCPU part\t: 0x051\n"),
			 "implementer 0x00, part 0x051");
	/* the part's number alone says nothing */
	ck_assert_str_eq(name_of("CPU implementer\t: 0x42\nCPU part\t: 0xd0c\n"),
			 "implementer 0x42, part 0xd0c");
}
END_TEST

START_TEST(by_nothing)
{
	ck_assert_str_eq(name_of(""), "");
	ck_assert_str_eq(name_of("processor\t: 0\nCPU part\t: 0xd0c\n"), "");
	ck_assert_str_eq(name_of("my model name : no\n"), "");
	ck_assert_str_eq(name_of("model names : no\n"), "");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {by_model_name, by_numbers, by_nothing, NULL};

	return unit_main("cpu_name", tests);
}
