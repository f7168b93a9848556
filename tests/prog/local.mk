# SPDX-License-Identifier: MIT
# Programs whose answer is known.  `demo` is built by `make` too: the README
# shows it; `starts` is `make bench`'s.  -O2 -g always, so that names and shares do not follow CFLAGS.
prog_cflags = $(AM_CFLAGS) -O2 -g

noinst_PROGRAMS += tests/prog/demo tests/prog/starts
check_PROGRAMS += \
	tests/prog/alone tests/prog/blocked tests/prog/burn tests/prog/closeall tests/prog/corners tests/prog/deny tests/prog/dispatched tests/prog/execs tests/prog/exits tests/prog/families tests/prog/forker \
	tests/prog/functions tests/prog/inject tests/prog/jit tests/prog/later tests/prog/leftovers tests/prog/loader tests/prog/manythreads tests/prog/masked tests/prog/member \
	tests/prog/notsc tests/prog/nounwind tests/prog/onsmall tests/prog/paths tests/prog/precise tests/prog/quiet tests/prog/rawfork \
	tests/prog/sigs tests/prog/static tests/prog/threads2 tests/prog/throw tests/prog/titled tests/prog/versions tests/prog/visits tests/prog/waits \
	tests/prog/wild tests/prog/witness
check_LTLIBRARIES += \
	tests/prog/auditor.la tests/prog/deep.la tests/prog/early.la tests/prog/forklib.la tests/prog/libbare.la tests/prog/nomalloc.la tests/prog/plugin_one.la tests/prog/plugin_two.la tests/prog/stay.la tests/prog/thrower.la

tests_prog_demo_SOURCES = tests/prog/demo.c tests/prog/simulate.h agent/sigsafe/simulation.h
tests_prog_demo_CFLAGS = $(prog_cflags)
tests_prog_demo_LDFLAGS = -pthread -Wl,--export-dynamic-symbol=tdagent_simulation

tests_prog_blocked_SOURCES = tests/prog/blocked.c tests/prog/spin.h
tests_prog_blocked_CFLAGS = $(prog_cflags)
tests_prog_burn_SOURCES = tests/prog/burn.c tests/prog/spin.h
tests_prog_burn_CFLAGS = $(prog_cflags)
tests_prog_closeall_SOURCES = tests/prog/closeall.c tests/prog/spin.h
tests_prog_closeall_CFLAGS = $(prog_cflags)
tests_prog_corners_SOURCES = tests/prog/corners.c tests/prog/corner_calls.c tests/prog/corner_signals.c tests/prog/corners.h \
	tests/prog/spin.h
tests_prog_corners_CFLAGS = $(prog_cflags)
tests_prog_corners_LDFLAGS = -pthread
tests_prog_deny_SOURCES = tests/prog/deny.c
tests_prog_execs_SOURCES = tests/prog/execs.c
tests_prog_exits_SOURCES = tests/prog/exits.c tests/prog/breakpoint.h tests/prog/spin.h
tests_prog_exits_CFLAGS = $(prog_cflags)
tests_prog_families_SOURCES = tests/prog/families.c tests/prog/spin.h
tests_prog_families_CFLAGS = $(prog_cflags)
tests_prog_families_LDFLAGS = -pthread
tests_prog_forker_SOURCES = tests/prog/forker.c tests/prog/spin.h
tests_prog_forker_CFLAGS = $(prog_cflags)
tests_prog_functions_SOURCES = tests/prog/functions.c tests/prog/spin.h
tests_prog_functions_CFLAGS = $(prog_cflags)
tests_prog_inject_SOURCES = tests/prog/inject.c tests/prog/notify.c tests/prog/notify.h
tests_prog_jit_SOURCES = tests/prog/jit.c tests/prog/spin.h
tests_prog_jit_CFLAGS = $(prog_cflags)
tests_prog_later_SOURCES = tests/prog/later.c tests/prog/spin.h
tests_prog_later_CFLAGS = $(prog_cflags)
tests_prog_later_LDFLAGS = -pthread
tests_prog_manythreads_SOURCES = tests/prog/manythreads.c tests/prog/spin.h
tests_prog_manythreads_CFLAGS = $(prog_cflags)
tests_prog_masked_SOURCES = tests/prog/masked.c tests/prog/spin.h
tests_prog_masked_CFLAGS = $(prog_cflags)
tests_prog_member_SOURCES = tests/prog/member.c
tests_prog_member_LDFLAGS = -all-static
tests_prog_onsmall_SOURCES = tests/prog/onsmall.c
tests_prog_paths_SOURCES = tests/prog/paths.c tests/prog/simulate.h tests/prog/spin.h \
	agent/sigsafe/simulation.h
tests_prog_paths_CFLAGS = $(prog_cflags)
tests_prog_paths_LDFLAGS = -pthread -Wl,--export-dynamic-symbol=tdagent_simulation
tests_prog_precise_SOURCES = tests/prog/precise.c tests/prog/notify.c tests/prog/notify.h
tests_prog_quiet_SOURCES = tests/prog/quiet.c tests/prog/spin.h
tests_prog_quiet_CFLAGS = $(prog_cflags)
tests_prog_quiet_LDFLAGS = -pthread
tests_prog_rawfork_SOURCES = tests/prog/rawfork.c tests/prog/spin.h
tests_prog_rawfork_CFLAGS = $(prog_cflags)
tests_prog_sigs_SOURCES = tests/prog/sigs.c tests/prog/breakpoint.h tests/prog/spin.h
tests_prog_sigs_CFLAGS = $(prog_cflags)
tests_prog_titled_SOURCES = tests/prog/titled.c
tests_prog_titled_CFLAGS = $(prog_cflags)
tests_prog_versions_SOURCES = tests/prog/versions.c tests/prog/simulate.h tests/prog/spin.h \
	agent/sigsafe/simulation.h
tests_prog_versions_CFLAGS = $(prog_cflags)
tests_prog_versions_LDFLAGS = -Wl,--export-dynamic-symbol=tdagent_simulation
tests_prog_starts_SOURCES = tests/prog/starts.c
tests_prog_starts_CFLAGS = $(prog_cflags)
tests_prog_starts_LDFLAGS = -pthread
tests_prog_threads2_SOURCES = tests/prog/threads2.c tests/prog/spin.h
tests_prog_threads2_CFLAGS = $(prog_cflags)

tests_prog_visits_SOURCES = tests/prog/visits.c
tests_prog_waits_SOURCES = tests/prog/waits.c tests/prog/spin.h
tests_prog_waits_CFLAGS = $(prog_cflags)
tests_prog_waits_LDFLAGS = -pthread
tests_prog_wild_SOURCES = tests/prog/wild.c tests/prog/wild_work.c tests/prog/wild_work.h
tests_prog_wild_CFLAGS = $(prog_cflags)
tests_prog_wild_LDFLAGS = -pthread
tests_prog_witness_SOURCES = tests/prog/witness.c
tests_prog_visits_CFLAGS = $(prog_cflags)
tests_prog_visits_LDFLAGS = -pthread

tests_prog_throw_SOURCES = tests/prog/throw.cc tests/prog/spin.h
tests_prog_throw_CXXFLAGS = -Wall -Wextra -O2 -g

# Refused by `tdagent run`: LD_PRELOAD does not reach it.
tests_prog_static_SOURCES = tests/prog/burn.c tests/prog/spin.h
tests_prog_static_LDFLAGS = -all-static

# Refused, too: it has no libc, and its signals are its own.
tests_prog_alone_SOURCES = tests/prog/alone.c agent/sigsafe/syscall.h
tests_prog_alone_CFLAGS = $(prog_cflags) -ffreestanding -fPIE -fno-stack-protector
tests_prog_alone_LDFLAGS = -nostdlib -pie -Wl,-e,alone_start

tests_prog_dispatched_SOURCES = tests/prog/dispatched.c tests/prog/spin.h
tests_prog_dispatched_CFLAGS = $(prog_cflags)
tests_prog_notsc_SOURCES = tests/prog/notsc.c tests/prog/spin.h
tests_prog_notsc_CFLAGS = $(prog_cflags)
tests_prog_libbare_la_SOURCES = tests/prog/nounwind-body.c tests/prog/nounwind.h
tests_prog_libbare_la_CFLAGS = $(prog_cflags) -fno-asynchronous-unwind-tables -fno-unwind-tables
tests_prog_nounwind_SOURCES = tests/prog/nounwind.c tests/prog/nounwind.h tests/prog/spin.h
tests_prog_nounwind_CFLAGS = $(prog_cflags)
tests_prog_nounwind_LDADD = tests/prog/libbare.la

# -rpath makes libtool build a shared object that is not installed.
plugin_ldflags = -module -avoid-version -rpath /nowhere
tests_prog_leftovers_SOURCES = tests/prog/leftovers.c tests/prog/spin.h
tests_prog_leftovers_CFLAGS = $(prog_cflags)
tests_prog_loader_SOURCES = tests/prog/loader.c
tests_prog_plugin_one_la_SOURCES = tests/prog/plugin.c
tests_prog_plugin_one_la_CFLAGS = $(prog_cflags) -DPLUGIN_WORK=work_of_plugin_one
tests_prog_plugin_one_la_LDFLAGS = $(plugin_ldflags)
tests_prog_plugin_two_la_SOURCES = tests/prog/plugin.c
tests_prog_plugin_two_la_CFLAGS = $(prog_cflags) -DPLUGIN_WORK=work_of_plugin_two
tests_prog_plugin_two_la_LDFLAGS = $(plugin_ldflags)
tests_prog_thrower_la_SOURCES = tests/prog/throw.cc tests/prog/spin.h
tests_prog_thrower_la_CXXFLAGS = -Wall -Wextra -O2 -g -DPLUGIN
tests_prog_thrower_la_LDFLAGS = $(plugin_ldflags)
tests_prog_early_la_SOURCES = tests/prog/early.c tests/prog/spin.h
tests_prog_early_la_CFLAGS = $(prog_cflags)
tests_prog_early_la_LDFLAGS = $(plugin_ldflags)
tests_prog_forklib_la_SOURCES = tests/prog/forklib.c
tests_prog_forklib_la_CFLAGS = $(prog_cflags)
tests_prog_forklib_la_LDFLAGS = $(plugin_ldflags)
tests_prog_stay_la_SOURCES = tests/prog/stay.c
tests_prog_stay_la_LDFLAGS = $(plugin_ldflags)
tests_prog_auditor_la_SOURCES = tests/prog/auditor.c
tests_prog_auditor_la_CFLAGS = $(prog_cflags)
tests_prog_auditor_la_LDFLAGS = $(plugin_ldflags)
tests_prog_nomalloc_la_SOURCES = tests/prog/nomalloc.c
tests_prog_nomalloc_la_CFLAGS = $(prog_cflags)
tests_prog_nomalloc_la_LDFLAGS = $(plugin_ldflags)
tests_prog_deep_la_SOURCES = tests/prog/deep.c tests/prog/spin.h
tests_prog_deep_la_CFLAGS = $(prog_cflags)
tests_prog_deep_la_LDFLAGS = $(plugin_ldflags)

# Built by tests/run/isolation.sh: it needs libelf and libunwind, which we are without.
EXTRA_DIST += tests/prog/ownlibs.c
