# SPDX-License-Identifier: MIT
EXTRA_DIST += doc/formats.md doc/estimates.md
