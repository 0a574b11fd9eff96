"""Caching and tiering in dollars on live volumes, beside their simulation."""
