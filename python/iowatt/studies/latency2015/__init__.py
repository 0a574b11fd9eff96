"""The study of 2015: what Express Writes did to the latency of an all-flash array."""
