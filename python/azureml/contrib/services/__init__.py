"""For score.py: the request and the answer themselves."""
