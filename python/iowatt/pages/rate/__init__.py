"""The highest rate within a limit, as documents and pages."""
