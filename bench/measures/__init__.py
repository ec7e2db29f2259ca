"""One file per measure; each has measure(bench) -> rows."""
