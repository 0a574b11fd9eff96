"""Schemes of virtual pools, one file each: keys, what contradicts what, and their part of the plan."""
