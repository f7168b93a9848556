# SPDX-License-Identifier: MIT
"""How likely chance alone makes a count: exact tails of the binomial distribution.

For tests that compare counts with what they should be.  A limit of so many sigma means
something else for each number of windows: at 14 expected ones, 4.1 sigma come by chance
7 times as often as at thousands, and in one of 100 runs of 45 such comparisons.
"""
import math

SURE = 2.5  # half widths of a 95 % interval, which chance passes once in a million: 4.9 sigma


def _tail(count, trials, share, step):
    """The sum of all from `count` on, downward or upward, of which the first is the largest."""
    term = math.exp(math.lgamma(trials + 1) - math.lgamma(count + 1) -
                    math.lgamma(trials - count + 1) + count * math.log(share) +
                    (trials - count) * math.log1p(-share))
    odds, total = share / (1 - share), 0.0
    while 0 <= count <= trials and term > total * 1e-12:
        total += term
        if step < 0:
            term *= count / ((trials - count + 1) * odds)
        else:
            term *= (trials - count) * odds / (count + 1)
        count += step
    return total


def at_most(count, trials, share):
    """P(that many or fewer of `trials`), each of which is one with probability `share`."""
    if share <= 0 or count >= trials:
        return 1.0
    if share >= 1 or count < 0:
        return 0.0
    if count > trials * share:
        return 1.0 - _tail(count + 1, trials, share, 1)
    return min(_tail(count, trials, share, -1), 1.0)


def at_least(count, trials, share):
    """P(that many or more)."""
    return at_most(trials - count, trials, 1 - share)


def as_far(count, trials, share):
    """P(as far away, to either side)."""
    return min(1.0, 2 * min(at_most(count, trials, share), at_least(count, trials, share)))
