"""What is in a trace, as documents and pages."""
