"""Caches alone: hits of many policies and sizes over one pass of a trace, and the page that shows them."""
