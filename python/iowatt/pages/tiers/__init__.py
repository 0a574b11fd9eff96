"""Derived tiers, as documents and pages."""
