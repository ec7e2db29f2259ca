"""Reads code written for Azure ML SDK v1 and says what of it Roost has. Never runs that code.

sources -> cells -> walk (uses, with types) -> judge (installed, differences) -> report
"""
