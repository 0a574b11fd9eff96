"""Schemes that move data so that drives can stop: write off-loading, MAID, popular data concentration."""
