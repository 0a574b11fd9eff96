"""Best foot forward: of a product family, the configuration with the peak of each metric."""
