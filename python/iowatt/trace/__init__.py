"""Traces on the Python side: the Parquet border, opening any trace, its statistics, its conversion.

Text formats are decoded in Rust (``iowatt-trace``). Parquet is decoded here, by Polars, and enters the same
checks as the others as batches of NumPy arrays.
"""
