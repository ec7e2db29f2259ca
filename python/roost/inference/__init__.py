"""What runs do for `roost model export` and `roost score`."""
