"""The Emerald lens: efficiency, stability and validity of measurements, from Runs alone."""
