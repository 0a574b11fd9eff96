"""Tariffs and bills as text and as a page."""
