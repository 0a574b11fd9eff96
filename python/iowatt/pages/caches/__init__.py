"""Caches over a trace, as documents and pages."""
