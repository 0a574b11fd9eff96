"""What the duty lens found, as text and as a page."""
