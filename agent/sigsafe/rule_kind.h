/* SPDX-License-Identifier: MIT */
/* How a frame is left: the kinds of rules that unwind.h has. */
#ifndef TD_SIGSAFE_RULE_KIND_H
#define TD_SIGSAFE_RULE_KIND_H

enum td_rule_kind {
	TD_RULE_NONE,     /* no unwind information */
	TD_RULE_STANDARD, /* the rule's members say it all */
	TD_RULE_LAST,     /* the outermost frame */
	TD_RULE_OTHER,    /* computed: signal frames, stubs, realigned stacks */
};

#endif
