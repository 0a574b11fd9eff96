"""The command line: one file per verb, which parses and prints and has no logic."""
