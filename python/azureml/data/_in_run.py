"""What run.input_datasets holds, for a script that runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

_PATH_PREFIX = "AZUREML_DATAREFERENCE_"
_DIRECT_PREFIX = "ROOST_DATASET_"


def input_datasets(
    workspace: Callable[[], Workspace], environment: Optional[Mapping[str, str]] = None
) -> Dict[str, Any]:
    """{name of the input: path of its files}; of an input without as_mount() or as_download() a
    Dataset. Its files are on this machine too, as they were when the run was submitted."""
    variables = os.environ if environment is None else environment
    found: Dict[str, Any] = {}
    for key, value in variables.items():
        if key.startswith(_PATH_PREFIX):
            name = key[len(_PATH_PREFIX) :]
            id = variables.get(_DIRECT_PREFIX + name)
            if id is None:
                found[name] = value
            else:
                from azureml.data._local_dataset import LocalDataset

                found[name] = LocalDataset(workspace(), id, value)
    return found
