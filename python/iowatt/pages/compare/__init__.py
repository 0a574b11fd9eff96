"""What the comparison lens found, as text and as a page."""
