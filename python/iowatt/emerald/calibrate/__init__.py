"""Calibration: the rates and outstanding requests at which a plan's phases are to be run."""
