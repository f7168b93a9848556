// SPDX-License-Identifier: MIT
/* What the audit counts, on steps that are made up. */
#include "tools/audit_machine.h"

#include <string.h>

#include "tests/unit/unit.h"

static struct td_audit_table table;
static struct td_audit_window window;

/* "AB+Ba" is a step within A, a call into B, a step within B, a near return into A. */
static bool walk(const char *steps)
{
	bool more = true;

	for (; *steps; steps++) {
		enum td_audit_kind kind = *steps >= 'a'     ? TD_AUDIT_RETURN
					  : steps[1] == '+' ? TD_AUDIT_NEAR_CALL
							    : TD_AUDIT_OTHER;

		more = td_audit_step(&window, kind,
				     (uint32_t)(*steps - (*steps >= 'a' ? 'a' : 'A')));
		steps += kind == TD_AUDIT_NEAR_CALL;
	}
	return more;
}

static size_t steps_in(const char *steps)
{
	size_t count = 0;

	for (; *steps; steps++)
		count += *steps != '+';
	return count;
}

static const struct td_audit_cell *window_of(uint64_t length, const char *steps)
{
	uint64_t lengths[] = {length};

	td_audit_free(&table);
	table.classes = 1;
	ck_assert_int_eq(td_audit_room(&table, 25), 0);
	td_audit_open(&window, &table, 0, lengths);
	ck_assert(walk(steps) == (steps_in(steps) < length));
	if (steps_in(steps) < length)
		td_audit_cut(&window);
	return &table.cell[0][0];
}

static void is_accepted(const struct td_audit_accepted *a, uint64_t windows,
			uint64_t stayed, uint64_t instructions, uint64_t elsewhere)
{
	ck_assert_uint_eq(a->windows, windows);
	ck_assert_uint_eq(a->stayed, stayed);
	ck_assert_uint_eq(a->instructions, instructions);
	ck_assert_uint_eq(a->elsewhere, elsewhere);
}

START_TEST(stays)
{
	const struct td_audit_cell *cell = window_of(4, "AAAA");

	ck_assert_uint_eq(cell->windows, 1);
	is_accepted(&cell->same, 1, 1, 4, 0);
	is_accepted(&cell->no_return, 1, 1, 4, 0);
	is_accepted(&cell->quiet, 1, 1, 4, 0);
}
END_TEST

/* A calls B, which calls A, in another instance: nobody has returned yet. */
START_TEST(calls_and_is_called)
{
	const struct td_audit_cell *cell = window_of(4, "AB+BA+");

	is_accepted(&cell->same, 1, 0, 4, 2);
	is_accepted(&cell->no_return, 1, 0, 4, 2);
	is_accepted(&cell->quiet, 0, 0, 0, 0);
}
END_TEST

START_TEST(closes_elsewhere)
{
	const struct td_audit_cell *cell = window_of(3, "AAB");

	ck_assert_uint_eq(cell->windows, 1);
	is_accepted(&cell->same, 0, 0, 0, 0);
	is_accepted(&cell->quiet, 0, 0, 0, 0);
}
END_TEST

/* The call is the caller's instruction, the return the callee's. */
START_TEST(calls_and_comes_back)
{
	const struct td_audit_cell *cell = window_of(6, "AB+BBaA");

	is_accepted(&cell->same, 1, 0, 6, 3);
	is_accepted(&cell->quiet, 0, 0, 0, 0);
}
END_TEST

/* Both calls itself and returns: never elsewhere, but not for the counter. */
START_TEST(recursion)
{
	const struct td_audit_cell *cell = window_of(4, "AA+aA");

	is_accepted(&cell->same, 1, 1, 4, 0);
	is_accepted(&cell->quiet, 0, 0, 0, 0);
}
END_TEST

/* A jump to another function and back has no return: what the counter misses. */
START_TEST(jumps_there_and_back)
{
	const struct td_audit_cell *cell = window_of(4, "BBAA");

	is_accepted(&cell->same, 1, 0, 4, 2);
	is_accepted(&cell->quiet, 1, 0, 4, 2);
}
END_TEST

START_TEST(returns_after_the_end_do_not_count)
{
	uint64_t lengths[] = {2, 5, 3};

	td_audit_free(&table);
	table.classes = 3;
	ck_assert_int_eq(td_audit_room(&table, 1), 0);
	td_audit_open(&window, &table, 0, lengths);
	ck_assert(!walk("AABaA"));
	is_accepted(&table.cell[0][0].quiet, 1, 1, 2, 0);
	ck_assert_uint_eq(table.cell[0][2].windows, 1);
	is_accepted(&table.cell[0][2].same, 0, 0, 0, 0);
	is_accepted(&table.cell[0][1].same, 1, 0, 5, 1);
	is_accepted(&table.cell[0][1].quiet, 0, 0, 0, 0);
}
END_TEST

START_TEST(handler_without_an_instruction)
{
	const struct td_audit_cell *cell;
	uint64_t lengths[] = {3};

	window_of(1, "A");
	td_audit_open(&window, &table, 0, lengths);
	td_audit_moved(&window, 1);
	ck_assert(!walk("BaA"));
	cell = &table.cell[0][0];
	is_accepted(&cell->same, 2, 1, 4, 2);
}
END_TEST

START_TEST(cut_windows)
{
	uint64_t lengths[] = {2, 5};
	struct td_audit_cell total[TD_AUDIT_LENGTHS_MAX];

	td_audit_free(&table);
	table.classes = 2;
	ck_assert_int_eq(td_audit_room(&table, 3), 0);
	td_audit_open(&window, &table, 3, lengths);
	walk("DD");
	td_audit_cut(&window);
	td_audit_open(&window, &table, 1, lengths);
	walk("BBBBB");
	td_audit_total(&table, total);
	ck_assert_uint_eq(total[0].windows, 2);
	ck_assert_uint_eq(total[0].cut, 0);
	ck_assert_uint_eq(total[1].windows, 1);
	ck_assert_uint_eq(total[1].cut, 1);
	ck_assert_uint_eq(table.cell[3][1].cut, 1);
	is_accepted(&total[0].same, 2, 2, 4, 0);
}
END_TEST

/* Functions turn up while windows are open, and the table moves. */
START_TEST(table_grows)
{
	window_of(1, "A");
	td_audit_open(&window, &table, 0, (uint64_t[]){2});
	walk("A");
	ck_assert_int_eq(td_audit_room(&table, 100000), 0);
	ck_assert_uint_eq(table.functions, 100001);
	walk("A");
	is_accepted(&table.cell[0][0].same, 2, 2, 3, 0);
	ck_assert_uint_eq(table.cell[100000][0].windows, 0);
}
END_TEST

static enum td_audit_kind decode(const char *code, size_t size, size_t *length)
{
	return td_audit_decode((const uint8_t *)code, size, length);
}

#if defined(__x86_64__)
START_TEST(instructions)
{
	size_t length = 0;

	ck_assert_int_eq(decode("\xc3", 1, &length), TD_AUDIT_RETURN);
	ck_assert_int_eq(decode("\xc2\x08\x00", 3, &length), TD_AUDIT_RETURN);
	ck_assert_int_eq(decode("\xf3\xc3", 2, &length), TD_AUDIT_RETURN);
	ck_assert_int_eq(decode("\xf2\xc3", 2, &length), TD_AUDIT_RETURN);
	ck_assert_int_eq(decode("\xcb", 1, &length), TD_AUDIT_OTHER);
	ck_assert_int_eq(decode("\xe8\x01\x02\x03\x04", 5, &length), TD_AUDIT_NEAR_CALL);
	ck_assert_int_eq(decode("\xff\xd0", 2, &length), TD_AUDIT_NEAR_CALL);
	ck_assert_int_eq(decode("\x41\xff\x53\x18", 4, &length), TD_AUDIT_NEAR_CALL);
	ck_assert_int_eq(decode("\xff\x1c\x24", 3, &length), TD_AUDIT_OTHER);
	ck_assert_int_eq(decode("\xff\xe0", 2, &length), TD_AUDIT_OTHER);
	ck_assert_int_eq(decode("\xe9\x01\x02\x03\x04", 5, &length), TD_AUDIT_OTHER);
	ck_assert_int_eq(decode("\x0f\x05", 2, &length), TD_AUDIT_SYSCALL);
	ck_assert_int_eq(decode("\x0f\x34", 2, &length), TD_AUDIT_SYSCALL);
	ck_assert_int_eq(decode("\xcd\x80", 2, &length), TD_AUDIT_SYSCALL);
	ck_assert_int_eq(decode("\x0f\x04", 2, &length), TD_AUDIT_OTHER);
	ck_assert_int_eq(decode("\x0f\xc3", 2, &length), TD_AUDIT_OTHER);
	ck_assert_int_eq(decode("\x9c", 1, &length), TD_AUDIT_PUSHF);
	ck_assert_int_eq(decode("\xf3\xa4", 2, &length), TD_AUDIT_REP);
	ck_assert_uint_eq(length, 2);
	ck_assert_int_eq(decode("\xf3\x48\xab", 3, &length), TD_AUDIT_REP);
	ck_assert_uint_eq(length, 3);
	ck_assert_int_eq(decode("\xa4", 1, &length), TD_AUDIT_OTHER);
	ck_assert_int_eq(decode("\xf3\x0f\x05", 3, &length), TD_AUDIT_SYSCALL);
	ck_assert_int_eq(decode("\xf3\x48", 2, &length), TD_AUDIT_OTHER);
	ck_assert_int_eq(decode("", 0, &length), TD_AUDIT_OTHER);
}
END_TEST
#elif defined(__aarch64__)
static enum td_audit_kind decode_word(uint32_t code)
{
	size_t length = 0;

	return decode((const char *)&code, sizeof(code), &length);
}

START_TEST(instructions)
{
	size_t length = 0;

	ck_assert_int_eq(decode_word(0xd65f03c0), TD_AUDIT_RETURN);    /* ret */
	ck_assert_int_eq(decode_word(0xd65f0020), TD_AUDIT_RETURN);    /* ret x1 */
	ck_assert_int_eq(decode_word(0xd65f0bff), TD_AUDIT_RETURN);    /* retaa */
	ck_assert_int_eq(decode_word(0xd65f0fff), TD_AUDIT_RETURN);    /* retab */
	ck_assert_int_eq(decode_word(0x97ffffff), TD_AUDIT_NEAR_CALL); /* bl */
	ck_assert_int_eq(decode_word(0xd63f0060), TD_AUDIT_NEAR_CALL); /* blr x3 */
	ck_assert_int_eq(decode_word(0xd73f0822), TD_AUDIT_NEAR_CALL); /* blraa x1, x2 */
	ck_assert_int_eq(decode_word(0xd63f083f), TD_AUDIT_NEAR_CALL); /* blraaz x1 */
	ck_assert_int_eq(decode_word(0x17ffffff), TD_AUDIT_OTHER);     /* b */
	ck_assert_int_eq(decode_word(0xd61f0220), TD_AUDIT_OTHER);     /* br x17 */
	ck_assert_int_eq(decode_word(0xd4000001), TD_AUDIT_SYSCALL);   /* svc #0 */
	ck_assert_int_eq(decode_word(0xd4200000), TD_AUDIT_OTHER);     /* brk #0 */
	ck_assert_int_eq(decode_word(0xc85ffc20), TD_AUDIT_ATOMIC); /* ldaxr x0, [x1] */
	ck_assert_int_eq(decode_word(0x885f7c20), TD_AUDIT_ATOMIC); /* ldxr w0, [x1] */
	ck_assert_int_eq(decode_word(0x085f7c20), TD_AUDIT_ATOMIC); /* ldxrb w0, [x1] */
	ck_assert_int_eq(decode_word(0xc87f0440),
			 TD_AUDIT_ATOMIC);                         /* ldxp x0, x1, [x2] */
	ck_assert_int_eq(decode_word(0xc8dffc20), TD_AUDIT_OTHER); /* ldar x0, [x1] */
	ck_assert_int_eq(decode_word(0xc8e0fc41),
			 TD_AUDIT_OTHER); /* casal x0, x1, [x2] */
	ck_assert_int_eq(decode_word(0xb8e00041),
			 TD_AUDIT_OTHER); /* ldaddal w0, w1, [x2] */
	ck_assert_int_eq(decode("\xc0\x03\x5f", 3, &length), TD_AUDIT_OTHER);
}
END_TEST
#endif

int main(void)
{
	const TTest *const tests[] = {
		stays,
		calls_and_is_called,
		closes_elsewhere,
		calls_and_comes_back,
		recursion,
		jumps_there_and_back,
		returns_after_the_end_do_not_count,
		handler_without_an_instruction,
		cut_windows,
		table_grows,
		instructions,
		NULL,
	};

	return unit_main("audit", tests);
}
