"""The device models beside measurements, as documents and pages."""
