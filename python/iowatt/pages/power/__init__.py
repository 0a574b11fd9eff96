"""The array's power, as documents and pages."""
