// SPDX-License-Identifier: MIT
#include "agent/sigsafe/unwind.h"

#include <string.h>

#include "agent/sigsafe/unwind_state.h"

/* agent/local.mk renames it. */
extern struct td_frame_state *td_libgcc_frame_state_for(void *ip,
							struct td_frame_state *state);

__thread void *td_unwind_frame __attribute__((tls_model("initial-exec")));

struct lesson {
	uint64_t ip;
	bool found;
	struct td_frame_state state;
};

static int ask_libgcc(void *argument)
{
	struct lesson *lesson = argument;

	memset(&lesson->state, 0, sizeof(lesson->state));
	lesson->found = td_libgcc_frame_state_for((void *)lesson->ip, &lesson->state);
	return 0;
}

/* What libgcc says of the instruction at `ip`; NULL: nothing. */
static const struct td_frame_state *ask(void *stack, uint64_t ip)
{
	/* on the other stack: there is room, and not much here */
	struct lesson *lesson = stack;
	int asked;

	lesson->ip = ip;
	asked = td_unwind_call(ask_libgcc, lesson, (char *)stack + TD_UNWIND_STACK,
			       &td_unwind_frame);
	td_unwind_frame = NULL;
	return asked == 0 && lesson->found ? &lesson->state : NULL;
}

/* What it calls undefined: 6, and 7 from GCC 14 on.  So it is asked of code whose
 * return address is declared to be that. */
static char undefined_of(void *stack)
{
	static _Atomic char undefined;
	const struct td_frame_state *state;

	if (!undefined) {
		state = ask(stack, (uint64_t)td_unwind_outermost);
		if (state && state->retaddr_column < TD_REGISTERS_OF_GCC)
			undefined = state->saved[state->retaddr_column];
	}
	return undefined;
}

bool td_unwind_saved_at(const struct td_frame_state *state, unsigned number, long least,
			long *at)
{
	*at = 0;
	if (state->saved[number] == TD_SAVED_UNSAVED)
		return true;
	*at = state->reg_or_offset[number];
	return state->saved[number] == TD_SAVED_AT_OFFSET && *at < 0 && *at >= least;
}

void td_unwind_learn(void *stack, uint64_t ip, struct td_rule *rule)
{
	char undefined = undefined_of(stack);
	const struct td_frame_state *state = ask(stack, ip);

	*rule = (struct td_rule){.kind = TD_RULE_OTHER};
	if (state)
		td_unwind_make_rule(state, undefined, rule);
}
