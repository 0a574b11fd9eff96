"""The test data report of a measurement, and an export with the fields of ENERGY STAR V1.0."""
