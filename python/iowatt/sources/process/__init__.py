"""Programs that iowatt runs: below a guard, and found again where an earlier command left them."""
