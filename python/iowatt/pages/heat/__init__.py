"""Heat as a document."""
