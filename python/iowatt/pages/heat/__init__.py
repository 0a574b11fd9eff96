"""What the heat lens found, as text and as a page."""
