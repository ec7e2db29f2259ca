"""The names that score.py imports from Azure's inference server, in Roost's own words.

Code for the server itself is not here: `roost serve` is the server.
"""
