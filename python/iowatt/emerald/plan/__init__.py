"""The plan of a measurement: its stages in order, how long, at which rate, with which instruments."""
