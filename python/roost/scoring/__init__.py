"""Workers that run score.py: one process each, started and asked by `roost serve`.

`worker` is the process: it loads the script (`script`), tells `roost serve` that it is ready, and
answers one request at a time over a socket (`frames`). Standard library only, as is everything that
runs inside an environment of the user's.
"""
