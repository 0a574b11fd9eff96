"""The study of 2014: what caching and tiering cost in dollars, at once and in the long run."""
