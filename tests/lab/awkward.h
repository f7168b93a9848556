/* SPDX-License-Identifier: MIT */
/* Code of a known number of instructions, for awkward.c and its second object. */
#ifndef LAB_AWKWARD_H
#define LAB_AWKWARD_H

/* Each function in a section of its own, which is the range that is declared. */
#define IN(name) __attribute__((noinline, section("lab_" #name)))

/* 5 instructions each, the last a jump: the emulator interrupts at the end of a block. */
#define STEPS(n) __asm__ volatile(STEPS_TEXT(n)::: "rax")
#define STEPS_TEXT(n)                                                                    \
	".rept " #n "\n"                                                                 \
	"lea 1(%%rax), %%rax\n lea 1(%%rax), %%rax\n"                                    \
	"lea 1(%%rax), %%rax\n lea 1(%%rax), %%rax\n"                                    \
	"jmp .+2\n"                                                                      \
	".endr\n"
/* n instructions, for the rest */
#define MORE(n) __asm__ volatile(".rept " #n "\n lea 1(%%rax), %%rax\n .endr\n" ::: "rax")

/* 3 instructions a turn, and one before */
static inline __attribute__((always_inline)) void turn(unsigned turns)
{
	__asm__ volatile("1: lea 1(%%rax), %%rax\n"
			 "dec %0\n"
			 "jnz 1b\n"
			 : "+r"(turns)
			 :
			 : "rax", "cc");
}

#if __has_attribute(noplt)
#define AWKWARD_NO_PLT __attribute__((noplt))
#else
#define AWKWARD_NO_PLT
#endif

/* In the second object: called through the PLT and without it. */
#pragma GCC visibility push(default)
void awkward_far_plt(void);
AWKWARD_NO_PLT void awkward_far_got(void);

/* Where they begin and end, one after the other. */
void awkward_far_ranges(const char *ranges[4]);
#pragma GCC visibility pop

#endif
