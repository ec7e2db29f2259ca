"""Reads code written for Azure ML SDK v1 and foresees what becomes of it. Never runs that code,
unless it is told to try.

sources -> cells -> walk (uses, with types) -> judge (installed, differences) -> report
                 -> follow (in order, with values: calls, azure_calls, downloads) -> foresee (world,
                    index, packages) -> report, trial
"""
