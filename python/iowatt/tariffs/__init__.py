"""Electricity tariffs and the bill of a load.

``structure`` is a tariff in numbers, ``find`` and ``urdb`` read it. ``load`` is joules over time, ``months``
and ``charges`` meter it, ``bill`` adds up the items, ``result`` has the documents. Nothing here depends on
storage.
"""
