"""From a simulation's numbers to the record of a Run: names, units, tables, remarks; watts at the wall."""
