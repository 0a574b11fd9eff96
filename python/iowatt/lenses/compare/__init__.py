"""Two Runs, or two groups of repeated Runs, beside one another, and what may be said about their difference.

:func:`iowatt.lenses.compare.analyse.analyse` does all of it and returns the document of :mod:`result`. What
the Runs say: :mod:`asked`, :mod:`observed`, :mod:`loop`; what is shown of both: :mod:`response`, :mod:`bins`,
:mod:`over_time`, :mod:`spikes`, :mod:`omission`, :mod:`flags`.
The statistics know none of these: :mod:`blocks` is a Run cut in time as plain arrays, :mod:`metrics` what is
compared, :mod:`inference` how far the difference can be told from chance; :mod:`judge` asks them.
"""
