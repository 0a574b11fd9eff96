"""The checks of a measurement: each takes figures and limits of the rules, and yields findings.

``minutes`` reads the minutes of a stage; ``efficiency``, ``stability`` and ``trend`` compute from them;
``validity``, ``instruments``, ``sequence`` and ``clocks`` compare figures with limits.
"""
