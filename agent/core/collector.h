/* SPDX-License-Identifier: MIT */
/*
 * Lends rings to the `tdagent run` that started us, which reads what a killed process
 * leaves in them.  Without one nothing happens.  Context: normal.
 */
#ifndef TD_CORE_COLLECTOR_H
#define TD_CORE_COLLECTOR_H

#include <stdint.h>

#include "agent/sigsafe/thread.h"

/* A ring that was just opened.  Under the core lock. */
void td_collector_offer(const struct td_thread *thread, uint32_t tid);

/* Before it is unmapped: who unmaps last is charged for it.  Waits for the answer, for
 * some milliseconds at most.  Under the core lock. */
void td_collector_withdraw(const struct td_thread *thread);

#endif
