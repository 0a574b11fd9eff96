"""Simulation and estimation, once or many times: scenarios into Runs, searches, the estimator, tiers."""
