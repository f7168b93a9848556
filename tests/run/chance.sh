#!/bin/sh
# SPDX-License-Identifier: MIT
# The tails of the binomial distribution that tests take for their limits, against exact sums.
. "$(dirname "$0")/lib.sh"

PYTHONPATH=$here/../lab python3 - <<'END' || fail "see above"
from fractions import Fraction
from math import comb

import chance

for trials, hits, of in (1, 1, 2), (10, 3, 10), (60, 99, 100), (693, 1, 48), (1000, 1, 4):
    # of `of` to the power of `trials`
    ways = [comb(trials, i) * hits**i * (of - hits)**(trials - i) for i in range(trials + 1)]
    for count in {0, min(5, trials), trials // 50, trials // 4, trials // 2, trials - 1, trials}:
        for found, true in ((chance.at_most(count, trials, hits / of), sum(ways[:count + 1])),
                            (chance.at_least(count, trials, hits / of), sum(ways[count:]))):
            true = float(Fraction(true, of**trials))
            # doubles end at 1e-308
            assert abs(found - true) <= 1e-8 * true + 1e-300, (count, trials, hits, of, found, true)
assert chance.at_most(-1, 5, 0.5) == chance.at_least(6, 5, 0.5) == 0
assert chance.at_most(4, 5, 1) == chance.at_least(1, 5, 0) == 0
assert chance.at_most(5, 5, 1) == chance.at_least(0, 5, 0) == 1
assert chance.as_far(0, 0, 0.5) == chance.as_far(5, 10, 0.5) == 1
assert abs(chance.as_far(30, 693, 0.0208) - 2 * chance.at_least(30, 693, 0.0208)) < 1e-12
END
