# SPDX-License-Identifier: MIT
# make bench [BENCH="--rounds 9 xz -1 -c file"]: what measuring costs, printed.
EXTRA_DIST += tests/bench/bench.py

.PHONY: bench
bench: all
	python3 $(top_srcdir)/tests/bench/bench.py $(BENCH)
