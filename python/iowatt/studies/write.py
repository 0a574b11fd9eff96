"""What a study leaves behind."""
