"""What simulates or estimates, once or many times: scenarios into Runs, searches, the estimator, tiers."""
