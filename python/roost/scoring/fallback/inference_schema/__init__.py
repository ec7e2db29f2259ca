"""Samples say what run() takes: a small stand-in for the package inference-schema.

Used only where that is not installed in the environment (roost.scoring.worker.set_path). Arrays and
tables need numpy and pandas, as there; Spark's tables are not here.
"""
