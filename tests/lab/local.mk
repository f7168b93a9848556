# SPDX-License-Identifier: MIT
# The emulated PMU: make check-lab builds it, once, and runs the lab tests.
# Its processors are Intel's, and its programs their machine code.
if !AARCH64
TESTS += tests/lab/lab.sh
check_PROGRAMS += tests/lab/awkward tests/lab/callers tests/lab/phases tests/lab/random tests/lab/selfcheck tests/lab/ways
check_LTLIBRARIES += tests/lab/libawkward-far.la tests/lab/libborrowed.la
endif

lab_tests = \
	tests/lab/accuracy.sh \
	tests/lab/audit.sh \
	tests/lab/borrowed.sh \
	tests/lab/bursts.sh \
	tests/lab/callers.sh \
	tests/lab/corrections.sh \
	tests/lab/diff.sh \
	tests/lab/events.sh \
	tests/lab/fallbacks.sh \
	tests/lab/guest.sh \
	tests/lab/hybrid.sh \
	tests/lab/import.sh \
	tests/lab/kernels.sh \
	tests/lab/models.sh \
	tests/lab/others.sh \
	tests/lab/programs.sh \
	tests/lab/selfcheck.sh \
	tests/lab/settings.sh \
	tests/lab/smt.sh \
	tests/lab/threads.sh \
	tests/lab/truth.sh \
	tests/lab/vernier.sh \
	tests/lab/ways.sh \
	tests/lab/wild.sh

EXTRA_DIST += $(lab_tests) tests/lab/clear.sh tests/lab/kernel.sh tests/lab/truth.py tests/lab/matrix.sh \
	tests/lab/matrix.py tests/lab/README.md tests/lab/lab.sh tests/lab/lib.sh \
	tests/lab/accuracy.py tests/lab/audit.py tests/lab/bench.py tests/lab/chance.py tests/lab/bound_program.py tests/lab/bench-paths.py tests/lab/perf.py tests/lab/build.sh tests/lab/mkroot.sh \
	tests/lab/run.sh tests/lab/where.sh tests/lab/qemu-pmu.patch \
	tests/lab/guest/init tests/lab/guest/labtool.c

lab_truth = tests/lab/truth.c tests/lab/draw.h tests/lab/truth.h tests/lab/truth-agent.c tests/lab/truth-agent.h \
	tests/lab/guest/labpmu.h

# -rpath makes libtool build a shared object that is not installed; the guest finds it in /in.
tests_lab_libawkward_far_la_SOURCES = tests/lab/awkward-far.c tests/lab/awkward.h
tests_lab_libawkward_far_la_CFLAGS = $(prog_cflags)
tests_lab_libawkward_far_la_LDFLAGS = -avoid-version -rpath /nowhere
tests_lab_libborrowed_la_SOURCES = tests/lab/borrowed.c $(lab_truth)
tests_lab_libborrowed_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/lab/guest
tests_lab_libborrowed_la_CFLAGS = $(prog_cflags)
tests_lab_libborrowed_la_LDFLAGS = -avoid-version -rpath /nowhere
tests_lab_libborrowed_la_LIBADD = -lm
tests_lab_awkward_SOURCES = tests/lab/awkward.c tests/lab/awkward.h tests/lab/disturb.h $(lab_truth)
tests_lab_awkward_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/lab/guest
tests_lab_awkward_CFLAGS = $(prog_cflags)
tests_lab_awkward_LDFLAGS = -pthread
tests_lab_awkward_LDADD = tests/lab/libawkward-far.la
tests_lab_random_SOURCES = tests/lab/random.c tests/lab/awkward.h $(lab_truth)
tests_lab_random_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/lab/guest
tests_lab_random_CFLAGS = $(prog_cflags)
tests_lab_random_LDFLAGS = -pthread
tests_lab_random_LDADD = -lm
tests_lab_callers_SOURCES = tests/lab/callers.c tests/lab/guest/labpmu.h
tests_lab_callers_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/lab/guest
tests_lab_callers_CFLAGS = $(prog_cflags) -fno-omit-frame-pointer
tests_lab_phases_SOURCES = tests/lab/phases.c tests/lab/disturb.h $(lab_truth)
tests_lab_phases_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/lab/guest
tests_lab_phases_CFLAGS = $(prog_cflags)
tests_lab_phases_LDFLAGS = -pthread
tests_lab_ways_SOURCES = tests/lab/ways.c tests/lab/awkward.h $(lab_truth)
tests_lab_ways_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/lab/guest
tests_lab_ways_CFLAGS = $(prog_cflags)
tests_lab_ways_LDFLAGS = -pthread
tests_lab_selfcheck_SOURCES = tests/lab/selfcheck.c tests/lab/guest/labpmu.h
tests_lab_selfcheck_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/lab/guest
tests_lab_selfcheck_CFLAGS = $(prog_cflags)
tests_lab_selfcheck_LDADD = -lm

.PHONY: lab check-lab check-lab-clear check-lab-long truth-lab matrix-lab coverage-lab bench-lab
# 77: not on this system; then the tests skip themselves.
lab: all
	$(srcdir)/tests/lab/build.sh "$$($(srcdir)/tests/lab/where.sh)" || test $$? -eq 77
	$(srcdir)/tests/lab/kernel.sh "$$($(srcdir)/tests/lab/where.sh)" trixie || test $$? -eq 77

# A log of its own, so that `make check` keeps its.  All tests, or those that are asked for.
check-lab: lab
	$(MAKE) $(AM_MAKEFLAGS) check TEST_SUITE_LOG=lab-suite.log \
		TESTS='$(if $(filter command,$(origin TESTS)),$(TESTS),$(lab_tests))'

# Under another kernel, which is fetched for it: 77, and it skips itself, where there is none.
check-lab-clear: lab
	$(srcdir)/tests/lab/kernel.sh "$$($(srcdir)/tests/lab/where.sh)" trixie-backports || test $$? -eq 77
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='tests/lab/clear.sh tests/lab/kernels.sh' TEST_SUITE_LOG=lab-suite.log

check-lab-long: lab
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(srcdir)/tests/lab/accuracy.sh --long
	$(srcdir)/tests/lab/vernier.sh --long

truth-lab: lab
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(srcdir)/tests/lab/truth.sh --long

# Other settings, and how many runs of each: matrix.sh's head.
matrix-lab: lab
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(srcdir)/tests/lab/matrix.sh plain noise edges noise,edges skx skx,noise skx,edges skx,noise,edges

coverage-lab: lab
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	$(srcdir)/tests/lab/matrix.sh -c -n 60 -r 500 plain noise noise,edges,1000 random vernier skx skx,noise skx,noise,edges

bench-lab: lab
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	python3 $(srcdir)/tests/lab/bench.py
	python3 $(srcdir)/tests/lab/bench-paths.py
CLEANFILES += lab-suite.log
