"""Two Runs, or two groups of repeated Runs, beside one another, and what may be said about their difference.

:mod:`blocks` is a Run cut in time as plain arrays, :mod:`metrics` what is compared, :mod:`inference` how far
the difference can be told from chance.
"""
