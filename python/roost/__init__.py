"""Roost: report metrics, tags and files from a training script.

import roost.run
roost.run.log("loss", 0.25, step=3)
"""

from . import run
from .client import Client, RoostError
from .run import OfflineRun, Run

__version__ = "0.1.0"
__all__ = ["Client", "OfflineRun", "RoostError", "Run", "run"]
