"""What is evaluated, described in names and units: library < power < profile < scenario."""
