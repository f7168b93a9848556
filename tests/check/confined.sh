#!/bin/sh
# SPDX-License-Identifier: MIT
# Each system call that the agent makes by its number is one that a child tries first
# under a filter (agent/core/confined.c).
. "$(dirname "$0")/lib.sh"

# These are made to try at all, or are how a child of ours ends, or how each handler does,
# of whomever.
known='SYS_clone SYS_exit SYS_exit_group SYS_rt_sigreturn'
# shellcheck disable=SC2046
for name in $(cd "$top" && grep -hoE '\bSYS_[a-z0-9_]+' $(sources agent/core) $(sources agent/sigsafe) | sort -u); do
	case " $known " in
	*" $name "*) continue ;;
	esac
	grep -qE "\{$name," "$top/agent/core/confined.c" ||
		fail "$name is not in the calls of agent/core/confined.c"
done
exit 0
