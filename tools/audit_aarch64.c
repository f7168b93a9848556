// SPDX-License-Identifier: MIT
#include "tools/audit_machine.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#define INSTRUCTION 4u
/* Instructions of an atomic sequence; longer ones make no sense. */
#define SEQUENCE 16u
#define EXITS 4u /* breakpoints at most */

/* DBGBCR: all four bytes, user mode, on. */
#define BREAK_HERE 0x1e5u

/* asm/ptrace.h has this, but it excludes sys/user.h. */
struct breakpoints {
	uint32_t info, padding;
	struct {
		uint64_t address;
		uint32_t control, padding;
	} at[EXITS];
};

/* Arm Architecture Reference Manual, C4.1: RET, RETAA, RETAB. */
static bool is_return(uint32_t code)
{
	return (code & 0xfffffc1f) == 0xd65f0000 || (code & 0xfffffbff) == 0xd65f0bff;
}

/* BL, BLR, BLRAAZ, BLRABZ, BLRAA, BLRAB */
static bool is_call(uint32_t code)
{
	return code >> 26 == 0x25 || (code & 0xfffffc1f) == 0xd63f0000 ||
	       (code & 0xfefff800) == 0xd63f0800;
}

/* LDXR, LDAXR and their forms for bytes and pairs; STXR, STLXR likewise */
static bool is_load_exclusive(uint32_t code)
{
	return (code & 0x3fe00000) == 0x08400000 || (code & 0xbfe00000) == 0x88600000;
}

static bool is_store_exclusive(uint32_t code)
{
	return (code & 0x3fe00000) == 0x08000000 || (code & 0xbfe00000) == 0x88200000;
}

enum td_audit_kind td_audit_decode(const uint8_t *code, size_t size, size_t *length)
{
	uint32_t instruction;

	if (size < INSTRUCTION)
		return TD_AUDIT_OTHER;
	*length = INSTRUCTION;
	memcpy(&instruction, code, sizeof(instruction));
	if (is_return(instruction))
		return TD_AUDIT_RETURN;
	if (is_call(instruction))
		return TD_AUDIT_NEAR_CALL;
	if ((instruction & 0xffe0001f) == 0xd4000001) /* SVC */
		return TD_AUDIT_SYSCALL;
	return is_load_exclusive(instruction) ? TD_AUDIT_ATOMIC : TD_AUDIT_OTHER;
}

static int read_set(pid_t tid, uint64_t set, void *to, size_t size)
{
	struct iovec data = {to, size};

	return ptrace(PTRACE_GETREGSET, tid, (void *)set, &data) ? -errno : 0;
}

int td_audit_look(pid_t tid, struct td_audit_moment *moment)
{
	struct user_regs_struct registers;
	int32_t call = -1;
	int error = read_set(tid, NT_PRSTATUS, &registers, sizeof(registers));

	if (!error)
		error = read_set(tid, NT_ARM_SYSTEM_CALL, &call, sizeof(call));
	if (error)
		return error;
	moment->ip = registers.pc;
	moment->in_call = call >= 0;
	moment->foreign = false; /* programs of 32 bits are not ours to begin with */
	return 0;
}

uint64_t td_audit_ip(pid_t tid)
{
	struct user_regs_struct registers = {.pc = 0};

	read_set(tid, NT_PRSTATUS, &registers, sizeof(registers));
	return registers.pc;
}

static bool set_breakpoints(pid_t tid, const struct breakpoints *points, unsigned count)
{
	struct iovec data = {(void *)points, offsetof(struct breakpoints, at) +
						     count * sizeof(points->at[0])};

	return !ptrace(PTRACE_SETREGSET, tid, (void *)NT_ARM_HW_BREAK, &data);
}

/* Where a conditional branch (B.cond, CBZ, CBNZ, TBZ, TBNZ) goes to; 0: it is none. */
static uint64_t branch_target(uint32_t code, uint64_t ip)
{
	int64_t words;

	if ((code & 0xff000010) == 0x54000000 || (code & 0x7e000000) == 0x34000000)
		words = (int32_t)(code << 8) >> 13;
	else if ((code & 0x7e000000) == 0x36000000)
		words = (int32_t)(code << 13) >> 18;
	else
		return 0;
	return ip + (uint64_t)(words * (int64_t)INSTRUCTION);
}

/* All ways out of the sequence that begins at `ip`.  Returns their number; 0: it does
 * not look like one. */
static unsigned find_exits(struct td_audit_code *code, uint64_t ip,
			   struct breakpoints *points)
{
	unsigned count = 0;

	for (unsigned i = 1; i < SEQUENCE && count < EXITS; i++) {
		uint64_t at = ip + i * INSTRUCTION, target;
		uint32_t instruction;

		if (td_audit_code_bytes(code, at, (uint8_t *)&instruction,
					sizeof(instruction)) != sizeof(instruction))
			return 0;
		target = branch_target(instruction, at);
		if (is_store_exclusive(instruction))
			points->at[count++].address = at + INSTRUCTION;
		else if (target)
			points->at[count++].address = target;
		if (is_store_exclusive(instruction))
			return count;
	}
	return 0;
}

bool td_audit_leap(struct td_audit_code *code, pid_t tid, uint64_t ip, size_t length)
{
	struct breakpoints points = {.info = 0};
	unsigned count = find_exits(code, ip, &points);

	(void)length;
	for (unsigned i = 0; i < count; i++)
		points.at[i].control = BREAK_HERE;
	return count && set_breakpoints(tid, &points, count);
}

void td_audit_leap_end(pid_t tid)
{
	struct breakpoints points = {.info = 0};

	/* fewer, where the processor has not so many */
	for (unsigned count = EXITS; count; count--)
		if (set_breakpoints(tid, &points, count))
			return;
}

/* Nothing saves it. */
void td_audit_hide_stepping(pid_t tid)
{
	(void)tid;
}
