# SPDX-License-Identifier: MIT
EXTRA_DIST += doc/call-paths.md doc/formats.md doc/guests.md doc/accuracy.md doc/estimates.md doc/events.md doc/experiments.md doc/top-down.md doc/vernier.md
dist_man_MANS += \
	doc/man/tdagent.1 doc/man/tdagent-annotate.1 doc/man/tdagent-audit.1 doc/man/tdagent-diff.1 doc/man/tdagent-export.1 doc/man/tdagent-import.1 doc/man/tdagent-list.1 doc/man/tdagent-probe.1 doc/man/tdagent-push.1 doc/man/tdagent-report.1 doc/man/tdagent-run.1 \
	doc/man/libtdagent.7
