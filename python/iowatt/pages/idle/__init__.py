"""What the idle lens found, as text and as a page."""
