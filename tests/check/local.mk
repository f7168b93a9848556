# SPDX-License-Identifier: MIT
# Rules that are proved on the sources and the built objects.
checks = \
	tests/check/as-zone.sh \
	tests/check/bind-now.sh \
	tests/check/bootstrap.sh \
	tests/check/confined.sh \
	tests/check/exports.sh \
	tests/check/format.sh \
	tests/check/functions.sh \
	tests/check/headers.sh \
	tests/check/includes.sh \
	tests/check/manual.sh \
	tests/check/no-exit.sh \
	tests/check/spdx.sh \
	tests/check/tls.sh

AM_TESTS_ENVIRONMENT = CC='$(CC)'; export CC;
TESTS += $(checks)
EXTRA_DIST += $(checks) \
	tests/check/as-zone.allow tests/check/lib.sh tests/check/long-functions.txt

.PHONY: format
format:
	cd $(srcdir) && find agent decoder tools tests -name '*.[ch]' ! -name '*.pb-c.*' -exec clang-format-14 -i {} +
