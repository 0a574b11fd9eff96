"""Electricity tariffs: what a utility charges for energy and for demand, as data, and the bill of a load.

Nothing here knows of storage: a load is joules over time on a calendar, and a bill is made of named items.
"""
