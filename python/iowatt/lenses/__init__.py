"""Lenses: each answers one question about a Run, whichever source produced it."""
