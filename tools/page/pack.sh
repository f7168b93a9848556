#!/bin/sh
# SPDX-License-Identifier: MIT
# The page as C: page.html with each `@include FILE` line replaced by that file.
# usage: pack.sh DIRECTORY >page_data.c
set -eu

cd "$1"
echo '/* Made by tools/page/pack.sh. */'
echo '#include "tools/page.h"'
echo 'const unsigned char td_page[] = {'
awk '
function put(file, line, status) {
	while ((status = (getline line < file)) > 0)
		print line
	if (status < 0) {
		print "pack.sh: " file " is missing" >"/dev/stderr"
		exit 1
	}
	close(file)
}
/^@include / { put($2); next }
{ print }' page.html | od -An -v -tu1 | sed 's/[0-9][0-9]*/&,/g'
echo '};'
echo 'const size_t td_page_size = sizeof(td_page);'
