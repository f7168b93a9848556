# SPDX-License-Identifier: MIT
noinst_LTLIBRARIES += agent/libsigsafe.la agent/libcore.la agent/libhook.la
lib_LTLIBRARIES += agent/libtdagent.la

# Handlers may run on small alternate stacks and must not disturb vector state.
TD_SIGSAFE_CFLAGS = $(TD_STACK_WARN) -ftls-model=initial-exec -fno-builtin-printf

if AARCH64
sigsafe_arch = agent/sigsafe/aarch64/arch.h agent/sigsafe/aarch64/frame.h agent/sigsafe/aarch64/unwind.c
else
sigsafe_arch = agent/sigsafe/x86_64/arch.h agent/sigsafe/x86_64/frame.h agent/sigsafe/x86_64/unwind.c
# what it is compiled with is its own
noinst_LTLIBRARIES += agent/libleave.la
agent_libleave_la_CFLAGS = $(AM_CFLAGS) $(TD_SIGSAFE_CFLAGS) -mgeneral-regs-only
agent_libleave_la_SOURCES = agent/sigsafe/x86_64/leave.c agent/sigsafe/x86_64/go_back.S
agent_libsigsafe_la_LIBADD = agent/libleave.la
endif

agent_libsigsafe_la_CFLAGS = $(AM_CFLAGS) $(TD_SIGSAFE_CFLAGS)
agent_libsigsafe_la_SOURCES = $(sigsafe_arch) \
	agent/sigsafe/arch.h \
	agent/sigsafe/brief.c agent/sigsafe/brief.h \
	agent/sigsafe/callpath.c agent/sigsafe/callpath.h \
	agent/sigsafe/clock.c agent/sigsafe/clock.h \
	agent/sigsafe/descriptors.c agent/sigsafe/descriptors.h \
	agent/sigsafe/engine.h \
	agent/sigsafe/groups.c agent/sigsafe/groups.h \
	agent/sigsafe/handler.c agent/sigsafe/handler.h \
	agent/sigsafe/identity.c agent/sigsafe/identity.h \
	agent/sigsafe/judge.h \
	agent/sigsafe/latency.c agent/sigsafe/latency.h \
	agent/sigsafe/leave.h \
	agent/sigsafe/maps.c agent/sigsafe/maps.h \
	agent/sigsafe/memory.c agent/sigsafe/memory.h \
	agent/sigsafe/metrics.c agent/sigsafe/metrics.h \
	agent/sigsafe/path.c agent/sigsafe/path.h \
	agent/sigsafe/paths.c agent/sigsafe/paths.h \
	agent/sigsafe/proc.c agent/sigsafe/proc.h \
	agent/sigsafe/random.h \
	agent/sigsafe/ring.c agent/sigsafe/ring.h \
	agent/sigsafe/release.c agent/sigsafe/release.h \
	agent/sigsafe/rule_kind.h \
	agent/sigsafe/simulated.c agent/sigsafe/simulated.h \
	agent/sigsafe/simulation.h \
	agent/sigsafe/store.c agent/sigsafe/store.h \
	agent/sigsafe/strobe.c agent/sigsafe/strobe.h \
	agent/sigsafe/strobe_parts.h \
	agent/sigsafe/sums.h agent/sigsafe/sums_sse2.h \
	agent/sigsafe/syscall.h \
	agent/sigsafe/thread.h \
	agent/sigsafe/timeline.c agent/sigsafe/timeline.h \
	agent/sigsafe/trigger.c agent/sigsafe/trigger.h \
	agent/sigsafe/unwind.c agent/sigsafe/unwind.h \
	agent/sigsafe/unwind_libc.c agent/sigsafe/unwind_state.h \
	agent/sigsafe/vernier.c agent/sigsafe/vernier.h \
	agent/sigsafe/vernier_window.c agent/sigsafe/vernier_window.h \
	agent/sigsafe/windows.c agent/sigsafe/windows.h \
	decoder/registers.c decoder/registers.h decoder/registers_sse2.h \
	decoder/unwind_table.c decoder/unwind_table.h

agent_libcore_la_SOURCES = \
	agent/core/actions.c agent/core/actions.h \
	agent/core/alternation.c agent/core/alternation.h \
	agent/core/backend.c agent/core/backend.h \
	agent/core/callpaths.c agent/core/callpaths.h \
	agent/core/collector.c agent/core/collector.h \
	agent/core/confined.c agent/core/confined.h \
	agent/core/core.h \
	agent/core/cores.c agent/core/cores.h \
	agent/core/environment.c agent/core/environment.h \
	agent/core/event_names.c agent/core/event_names.h \
	agent/core/events.c agent/core/events.h \
	agent/core/events_asked.c agent/core/events_asked.h \
	agent/core/events_describe.c agent/core/events_describe.h \
	agent/core/events_open.c agent/core/events_open.h \
	agent/core/facts.c agent/core/facts.h \
	agent/core/fold.c agent/core/fold.h \
	agent/core/interrupt.c agent/core/interrupt.h \
	agent/core/latency.c agent/core/latency.h \
	agent/core/lifecycle.c agent/core/lifecycle.h \
	agent/core/log.c agent/core/log.h \
	agent/core/masks.c agent/core/masks.h \
	agent/core/metrics.c agent/core/metrics.h \
	agent/core/notes.c agent/core/notes.h \
	agent/core/perf_open.c agent/core/perf_open.h \
	agent/core/plan.c agent/core/plan.h \
	agent/core/profile.c agent/core/profile.h \
	agent/core/real.c agent/core/real.h \
	agent/core/reporter.c agent/core/reporter.h \
	agent/core/stacks.c agent/core/stacks.h \
	agent/core/threads.c agent/core/threads.h \
	agent/core/vernier.c agent/core/vernier.h

agent_libhook_la_SOURCES = \
	agent/hook/descriptor.c \
	agent/hook/exec.c \
	agent/hook/exit.c \
	agent/hook/fork.c \
	agent/hook/hook.h \
	agent/hook/library.c \
	agent/hook/rights.c \
	agent/hook/signal.c \
	agent/hook/system.c \
	agent/hook/start.c \
	agent/hook/thread.c \
	agent/hook/wait.c

# libgcc's unwinder by itself: what it calls becomes calls of
# agent/sigsafe/unwind_libc.c, and nothing of it can be seen but this one name.
unwinder_name = __frame_state_for
unwinder_wraps = `$(SED) -n 's/^REFUSE(\(.*\))$$/--wrap=\1/p' \
	$(srcdir)/agent/sigsafe/unwind_libc.c` --wrap=abort
agent/unwinder.o: agent/sigsafe/unwind_libc.c
	$(AM_V_GEN)$(MKDIR_P) agent && \
	$(LD) -r -o $@-t -u $(unwinder_name) $(unwinder_wraps) $(LIBGCC_EH) && \
	$(OBJCOPY) --redefine-sym $(unwinder_name)=td_libgcc_frame_state_for $@-t && \
	$(OBJCOPY) -g --keep-global-symbol=td_libgcc_frame_state_for $@-t $@ && \
	rm -f $@-t
CLEANFILES += agent/unwinder.o

agent_libtdagent_la_SOURCES =
agent_libtdagent_la_LIBADD = \
	agent/libhook.la agent/libcore.la agent/libsigsafe.la decoder/libformat.la
# -z now: the first call in a handler must not go through lazy binding.
agent_libtdagent_la_LDFLAGS = -avoid-version -module -shared \
	-Wl,--version-script=$(srcdir)/agent/libtdagent.map \
	-Wl,-z,now -Wl,-z,defs -Wl,--as-needed -Wl,agent/unwinder.o
agent_libtdagent_la_DEPENDENCIES = $(agent_libtdagent_la_LIBADD) agent/unwinder.o \
	$(srcdir)/agent/libtdagent.map
EXTRA_DIST += agent/libtdagent.map
