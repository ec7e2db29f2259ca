"""roost import mlflow URI|FOLDER|sqlite:..."""

from __future__ import annotations

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_PACKAGES = os.path.dirname(os.path.dirname(_HERE))
# The folder it is called in may hold a json.py: nothing of it may be imported.
_NOT_FROM = (os.getcwd(), _HERE, _PACKAGES)
sys.path[:] = [_PACKAGES] + [
    path for path in sys.path if path and os.path.abspath(path) not in _NOT_FROM
]

from roost.mlflow_import.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
