"""Searches: many scenarios from one, handed to an executor, and their Runs collected in a table.

axes       the keys that change, and points     prepare, point     points checked; one point as a task
executor   threads, or a cluster                 evaluator, journal, folder   what survives an interruption
table, metrics   one row a point                 sweep, curve, rate, optimize   the verbs
"""
