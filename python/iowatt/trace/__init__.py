"""Traces on the Python side: the Parquet border, opening any trace, its statistics, its conversion.

Text formats are decoded in Rust (``iowatt-trace``). Parquet is decoded here, by Polars (``parquet``,
``columns``, ``decode``), and enters the same checks as batches of NumPy arrays. ``open`` opens any trace,
``measure`` counts and describes it (``result``, ``description``), ``convert`` and ``generate`` write one.
"""
