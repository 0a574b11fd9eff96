"""Programs that iowatt runs under a guard, and finds again where an earlier command left them."""
