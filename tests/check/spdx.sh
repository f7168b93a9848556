#!/bin/sh
# SPDX-License-Identifier: MIT
# Every source file says its licence in its first two lines.
. "$(dirname "$0")/lib.sh"

cd "$top" || exit 99
for file in configure.ac Makefile.am $(find agent decoder tools tests doc .ci bootstrap.sh check.sh packages.sh \
	-type f \( -name '*.[chS]' -o -name '*.cc' -o -name '*.py' -o -name '*.sh' -o -name '*.mk' \
	-o -name '*.map' -o -name '*.js' ! -path '*/uplot/*' -o -name '*.java' -o -name '*.go' -o -name '*.css' ! -path '*/uplot/*' -o -name '*.[17]' -o -name '*.allow' -o -path '.ci/run' \)); do
	head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT$' ||
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT \*/$' ||
		fail "$file has no SPDX line"
done
exit 0
