#!/bin/sh
# SPDX-License-Identifier: MIT
# bootstrap.sh twice: what the second run installs is looked for by configure before anything
# is built; where nothing is installed nothing is configured.  Packages, configure and make are
# the test's own.
. "$(dirname "$0")/lib.sh"

cp "$top/bootstrap.sh" "$top/packages.sh" "$work"
cd "$work" || exit 99
mkdir bin installed
PATH=$work/bin:$PATH
export PATH

# command_at FILE <BODY
command_at()
{
	{ echo '#!/bin/sh'; cat; } >"$1"
	chmod +x "$1"
}

command_at bin/dpkg-query <<'END'
for package; do :; done
[ -e "installed/$package" ] && echo installed
END
command_at bin/apt-get <<'END'
[ "$1" = install ] || exit 0
for package; do case $package in -* | install) ;; *) : >"installed/$package" ;; esac; done
END
printf 'exec "$@"\n' | command_at bin/sudo
printf 'cat build/found >built\n' | command_at bin/make
command_at configure <<'END'
ls ../installed >found
: >Makefile
printf '#!/bin/sh\ncase "$*" in *--recheck) ls ../installed >found ;; esac\n' >config.status
chmod +x config.status
END

# bootstrap OPTION...
bootstrap()
{
	sh ./bootstrap.sh --build "$@" >said 2>&1 || { fail "bootstrap.sh $*:"; cat said; }
}

bootstrap
grep -qx gcc built || fail "built before the compiler was there"
grep -qx check built && fail "what only tests need was installed without being asked for"
bootstrap --tests
grep -qx check built || fail "built by a configure that has not seen what was installed"
rm build/config.status
bootstrap --tests
exit 0
