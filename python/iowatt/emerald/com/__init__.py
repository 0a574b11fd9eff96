"""Capacity optimisation methods (COMs): are they there? Sets of known content, and what they cost in space.

The heuristics are those that SNIA's training names; their exact steps and thresholds could not be read, so
the thresholds come from the rule profile and say that they are assumed. The sets are ours and do not equal
those of SNIA's generator.
"""
