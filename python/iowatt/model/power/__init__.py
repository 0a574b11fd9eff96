"""The array's own power: from parts and drives through the supplies to the wall.

``efficiency`` and ``supplies`` are what a supply and a group of them draw, ``laws`` what a part draws,
``cooling`` what becomes of it; ``plan`` is an array in numbers, which ``resolve`` makes from a scenario;
``calculator`` answers for idle and active arrays, ``wall`` for Runs. Watts, VA and seconds throughout.
"""
