"""Where the files of a model are, or are to be, on this machine."""

from __future__ import annotations

import os
from typing import Dict, List, Optional

from ..exceptions import ModelPathNotFoundException

MODEL_FOLDER = "azureml-models"


def local_files(path: str, child_paths: Optional[List[str]]) -> Dict[str, str]:
    """Where each part of the model's tree lies: under the name of the file or folder."""
    top = os.path.normpath(path)
    if not os.path.exists(top):
        raise ModelPathNotFoundException(
            f"there is no {os.path.abspath(path)} to register. model_path is a file or a folder of "
            "this machine; for a file of a run use run.register_model."
        )
    name = os.path.basename(os.path.abspath(top))
    if not child_paths:
        return {name: top}
    chosen = {f"{name}/{child}": os.path.join(top, child) for child in child_paths}
    missing = [file for file in chosen.values() if not os.path.exists(file)]
    if missing:
        raise ModelPathNotFoundException(f"child_paths names {missing[0]}, which is not there.")
    return chosen


def deployed_path(name: str, version: Optional[int]) -> Optional[str]:
    """AZUREML_MODEL_DIR is the folder of the one model, or the parent of <name>/<version>/."""
    root = os.environ.get("AZUREML_MODEL_DIR")
    if not root:
        return None
    of_several = os.path.join(root, name)
    if os.path.isdir(of_several):
        number = str(version) if version is not None else _highest(of_several)
        folder = os.path.join(of_several, number) if number else of_several
    else:
        folder = root
    return only_entry(folder) or (folder if os.path.isdir(folder) else None)


def downloaded_path(name: str, version: Optional[int]) -> Optional[str]:
    """Without a version the server has to be asked which is the newest."""
    if version is None:
        return None
    return only_entry(os.path.join(MODEL_FOLDER, name, str(version)))


def _highest(folder: str) -> Optional[str]:
    numbers = [name for name in os.listdir(folder) if name.isdigit()]
    return max(numbers, key=int) if numbers else None


def only_entry(folder: str) -> Optional[str]:
    try:
        names = [name for name in os.listdir(folder) if not name.endswith(".part")]
    except OSError:
        return None
    if not names:
        return None
    return os.path.join(folder, names[0]) if len(names) == 1 else folder
