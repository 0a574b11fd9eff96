"""A measurement is run: stages without a break, instruments beside them, and a journal that survives."""
