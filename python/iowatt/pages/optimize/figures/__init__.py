"""Figures of the page of an optimisation, each with its table twin; a module a subject."""
