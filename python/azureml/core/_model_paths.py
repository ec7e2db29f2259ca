"""Where the files of a model are, or are to be, on this machine."""

from __future__ import annotations

import os
from typing import Dict, List, Optional

from ..exceptions import ModelNotFoundException, ModelPathNotFoundException

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
    """In a web service AZUREML_MODEL_DIR is azureml-models/<name>/<version>, of its one model, or
    azureml-models, of several. Elsewhere somebody set it, to the folder of a model or of several.
    ModelNotFoundException if this is a web service that does not have the model."""
    root = os.environ.get("AZUREML_MODEL_DIR")
    if not root:
        return None
    if not os.path.isdir(root):
        root = os.path.join(os.environ.get("AML_APP_ROOT", ""), root)
    top = _folder_of_all(root)
    if top is None and not os.path.isdir(os.path.join(root, name)):
        return only_entry(root)
    of_model = os.path.join(top or root, name)
    number = str(version) if version is not None else _version_here(root, of_model)
    found = only_entry(os.path.join(of_model, number) if number else of_model)
    if found is None and top is not None:
        wanted = name if version is None else f"{name}:{version}"
        raise ModelNotFoundException(
            f"this web service was not deployed with the model {wanted!r}: {top} has "
            f"{', '.join(_models_in(top)) or 'none'}. Name it in models= of Model.deploy."
        )
    return found


def _folder_of_all(root: str) -> Optional[str]:
    """azureml-models, if that is what it is or is in."""
    parts = os.path.normpath(root).split(os.sep)
    if parts[-1] == MODEL_FOLDER:
        return root
    if len(parts) >= 3 and parts[-3] == MODEL_FOLDER and parts[-1].isdigit():
        return os.path.dirname(os.path.dirname(os.path.normpath(root)))
    return None


def _version_here(root: str, of_model: str) -> Optional[str]:
    """The one that AZUREML_MODEL_DIR names, else the highest that is there."""
    one = os.path.normpath(root)
    return os.path.basename(one) if os.path.dirname(one) == of_model else _highest(of_model)


def _models_in(top: str) -> List[str]:
    found = []
    for name in sorted(os.listdir(top)) if os.path.isdir(top) else []:
        folder = os.path.join(top, name)
        if os.path.isdir(folder):
            found += [f"{name}:{number}" for number in sorted(os.listdir(folder))]
    return found


def downloaded_path(name: str, version: Optional[int]) -> Optional[str]:
    """Without a version the server has to be asked which is the newest."""
    if version is None:
        return None
    return only_entry(os.path.join(MODEL_FOLDER, name, str(version)))


def _highest(folder: str) -> Optional[str]:
    names = os.listdir(folder) if os.path.isdir(folder) else []
    numbers = [name for name in names if name.isdigit()]
    return max(numbers, key=int) if numbers else None


def only_entry(folder: str) -> Optional[str]:
    try:
        names = [name for name in os.listdir(folder) if not name.endswith(".part")]
    except OSError:
        return None
    if not names:
        return None
    return os.path.join(folder, names[0]) if len(names) == 1 else folder
