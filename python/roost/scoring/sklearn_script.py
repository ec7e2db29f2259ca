"""Serves a scikit-learn model without code: {"data": [[..]], "method": "predict"}.

The answer is keyed by the method. Without one it is predict_proba where the model has it.
"""

import importlib
import json
import os
import pickle
from typing import Any, Dict, List

from .aml_request import BadRequest

_METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform")
_SUFFIXES = (".pkl", ".pickle", ".joblib", ".sav")

_model: Any = None


def init() -> None:
    global _model
    _model = load_model(find_model(os.environ.get("AZUREML_MODEL_DIR") or "azureml-models"))


def find_model(folder: str) -> str:
    """The one file of the model. FileNotFoundError says what is there instead."""
    files = sorted(
        os.path.join(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if not name.startswith(".")
    )
    pickles = [file for file in files if file.lower().endswith(_SUFFIXES)] or files
    if len(pickles) == 1:
        return pickles[0]
    found = ", ".join(os.path.relpath(file, folder) for file in files[:10]) or "nothing"
    raise FileNotFoundError(
        f"a scikit-learn model without a script is one pickled file ({' '.join(_SUFFIXES)}); below "
        f"{folder} there is {found}. Deploy it with a score.py that loads what you mean."
    )


def load_model(path: str) -> Any:
    """By joblib where it is installed: it reads plain pickles too."""
    try:
        joblib = importlib.import_module("joblib")
    except ImportError:
        with open(path, "rb") as file:
            return pickle.load(file)
    return joblib.load(path)


def run(data: str) -> Dict[str, List[Any]]:
    body = _read(data)
    method = body.get("method") or _default_method()
    if method not in _METHODS:
        raise BadRequest(f"there is no method {method!r}; there are {', '.join(_METHODS)}.")
    call = getattr(_model, method, None)
    if call is None:
        raise BadRequest(f"the model, a {type(_model).__name__}, has no {method}.")
    rows = body["data"]
    if not isinstance(rows, (list, dict)):
        raise BadRequest('"data" must be a list of rows, as [[1.0, 2.0], [3.0, 4.0]].')
    try:
        return {method: _plain(call(_as_table(rows)))}
    except (ValueError, TypeError, KeyError) as error:
        raise BadRequest(f"{method} of the model refused the data: {error}") from error


def _read(data: str) -> Dict[str, Any]:
    try:
        body = json.loads(data)
    except ValueError as error:
        raise BadRequest(f"the body is not JSON: {error}") from None
    if not isinstance(body, dict) or "data" not in body:
        raise BadRequest('the body must be a JSON object with "data", a list of rows.')
    return body


def _default_method() -> str:
    return "predict_proba" if hasattr(_model, "predict_proba") else "predict"


def _as_table(rows: Any) -> Any:
    """Rows that are objects have column names; pandas keeps them for models that want them."""
    if isinstance(rows, dict) or (rows and isinstance(rows[0], dict)):
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise BadRequest(
                'rows with column names need pandas in the environment; send "data" as lists.'
            ) from None
        return pandas.DataFrame(rows)
    return rows


def _plain(value: Any) -> Any:
    """Without numpy's types, which JSON does not know."""
    if hasattr(value, "toarray"):  # a sparse matrix
        value = value.toarray()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value
