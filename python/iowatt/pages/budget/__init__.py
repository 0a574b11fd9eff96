"""What the budget lens found, as text and as a page."""
