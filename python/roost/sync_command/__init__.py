"""The program behind `roost sync`."""
