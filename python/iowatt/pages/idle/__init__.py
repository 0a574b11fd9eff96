"""Idle periods as a document."""
