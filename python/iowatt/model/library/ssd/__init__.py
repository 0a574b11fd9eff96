"""SSDs: from data sheets to what the simulator is told, by one set of rules for all drives."""
