"""The Run bundle: what every source produces and every lens reads.

A source fills a ``record``; ``summary_build`` and ``lenses.summary`` turn it into ``run.json``, shaped as in
``summary_schema`` and ``summary_parts``. ``bundle`` opens and writes a Run with its ``tables`` and its plan
(``plan_schema``), ``index`` and ``workspace`` list Runs, ``histogram`` and ``statistics`` define percentiles
and intervals.

Kept free of imports: ``iowatt --help`` passes through here. Import from the modules,
``from iowatt.run.bundle import Run``.
"""
