"""iowatt: what a storage system costs in watts, milliseconds and dollars."""
