"""Published studies, remade from end to end.

A study is a set of sweeps and the claims and figures that were published about them. Its findings follow from
the tables and Runs of those sweeps alone.

study     what a study is and finds; the studies by name
text      its words and published figures, from TOML; makes figures, verdicts and notes with them
result    what it found, typed (``iowatt.study/1``): verdicts, figures, notes
conduct   runs the stages, goes on after an interruption, writes the directory
stages    the stages, their tables and Runs; points and how they are chosen
figures   tables and charts that all studies draw alike
document  what a page and a terminal show

Each study is a package with two files, ``study.toml`` (words, claims, tables, parts of scenarios) and
``published.toml`` (what was printed), and modules: ``published`` (the typed figures), ``systems`` (arrays and
workloads as sweeps), ``points`` (what a sweep's row is reduced to), ``conclusions`` (verdicts), tables and
charts, ``evaluate`` (``FULL``, ``QUICK``, ``stages``, ``findings``).
"""

from iowatt.studies.study import Findings, Study, find, studies

__all__ = ["Findings", "Study", "find", "studies"]
