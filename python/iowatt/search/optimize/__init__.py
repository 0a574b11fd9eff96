"""`iowatt optimize`: which configuration is best, and why."""
