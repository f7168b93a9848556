# SPDX-License-Identifier: MIT
# Unit tests: one program a module, named test_<module>, with Check.
if HAVE_CHECK

check_PROGRAMS += tests/unit/test_options
TESTS += tests/unit/test_options
tests_unit_test_options_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(TD_SANITIZE)
tests_unit_test_options_LDADD = decoder/libformat.la $(CHECK_LIBS)

endif
