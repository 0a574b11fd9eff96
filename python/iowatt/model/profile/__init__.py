"""Synthetic workloads: a *profile* says what to generate, in names and units, each figure with its source.

``find.load`` reads a library profile or a file into a checked ``Profile``; ``compile.synthesis`` makes of it
the plan of SI numbers that iowatt-workload generates from. A plan stands wherever a trace specification can:
``{"synthetic": plan}``.
"""
