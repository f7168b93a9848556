# SPDX-License-Identifier: MIT
# make fuzz [FUZZ="SECONDS TARGET..."]: readers of files and text on libFuzzer's input, with clang's sanitizers.
EXTRA_DIST += tests/fuzz/fuzz.sh tests/fuzz/fuzz.h tests/fuzz/formula.c tests/fuzz/jitdump.c tests/fuzz/options.c \
	tests/fuzz/perf_map.c tests/fuzz/perf_script.c tests/fuzz/profile.c tests/fuzz/unwind_table.c

if HAVE_CHECK
EXTRA_PROGRAMS = tests/fuzz/seeds
tests_fuzz_seeds_SOURCES = tests/fuzz/seeds.c $(td_build_profile) tests/unit/uniform.h \
	tests/unit/log_windows.c tests/unit/log_windows.h tests/unit/sim_windows.c tests/unit/sim_windows.h
tests_fuzz_seeds_CFLAGS = $(td_unit_cflags)
tests_fuzz_seeds_LDADD = $(td_unit_ldadd) -lm
endif

.PHONY: fuzz
fuzz:
	$(srcdir)/tests/fuzz/fuzz.sh $(FUZZ)
distclean-local:
	rm -rf fuzz
