# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Read by the scripts that need Debian packages (bootstrap.sh, tests/*/build.sh).

# need_packages NAME...: installs those that are not there, as root or by sudo, and leaves
# their names in td_missing; leaves the shell with 1 where neither is had.
need_packages()
{
	if ! command -v apt-get >/dev/null; then
		echo "No apt-get here: configure will say which libraries are missing."
		return 0
	fi
	td_missing=
	for td_package; do
		dpkg-query -W -f '${db:Status-Status}\n' "$td_package" 2>/dev/null |
			grep -qx installed || td_missing="$td_missing $td_package"
	done
	[ -n "$td_missing" ] || return 0
	echo "Installing:$td_missing"
	td_sudo=
	if [ "$(id -u)" -ne 0 ]; then
		td_sudo=sudo
		command -v sudo >/dev/null || {
			echo "${0##*/}: packages are missing:$td_missing; run me as root, or install sudo" >&2
			exit 1
		}
	fi
	$td_sudo apt-get update -qq
	# shellcheck disable=SC2086 # a list of names
	$td_sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
		--no-install-recommends $td_missing
}
