"""Sweeps and load curves, as documents and pages."""
