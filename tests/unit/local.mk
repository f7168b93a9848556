# SPDX-License-Identifier: MIT
# Unit tests: one program a module, named test_<module>, with Check.
if HAVE_CHECK

check_PROGRAMS += tests/unit/test_options
TESTS += tests/unit/test_options
tests_unit_test_options_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(TD_SANITIZE)
tests_unit_test_options_LDADD = decoder/libformat.la $(CHECK_LIBS)

# The agent's own modules.  As static archives their hidden symbols can be tested.
check_PROGRAMS += tests/unit/test_identity tests/unit/test_strobe
TESTS += tests/unit/test_identity tests/unit/test_strobe
TD_AGENT_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)

tests_unit_test_identity_SOURCES = tests/unit/test_identity.c \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_identity_CFLAGS = $(TD_AGENT_TEST_CFLAGS) $(UNWIND_CFLAGS)
tests_unit_test_identity_LDADD = agent/libsigsafe.la $(UNWIND_LIBS) $(CHECK_LIBS)

tests_unit_test_strobe_SOURCES = tests/unit/test_strobe.c \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_strobe_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_strobe_LDADD = agent/libsigsafe.la $(CHECK_LIBS)

endif
