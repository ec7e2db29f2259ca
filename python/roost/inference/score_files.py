"""Sends every file of a folder through a model: what the run of `roost score` does.

    python -m roost.inference.score_files --model DIR --input DIR --output DIR

An ONNX model is run by Roost's own program; another by an entry script with init() and
run(mini_batch), which gets paths and returns as many results. Every file has a result file, a
summary says what could not be scored and why.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import importlib.util
import json
import os
import sys
import time
import traceback
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Sequence

from .problem import Problem
from .score_inputs import ENDINGS, ImageOptions, read_inputs, write_outputs
from .served_model import ServedModel

_TOLD = 20  # failures that are printed; the summary has all


class Scored(NamedTuple):
    file: str
    result: str  # path below the output folder; "" if it failed
    error: str


def main(words: Optional[Sequence[str]] = None) -> int:
    options = _parse(words)
    began = time.monotonic()
    try:
        files = _files(options.input)
        if not files:
            raise Problem(
                f"there is no file to score; those that end in {', '.join(ENDINGS)} can be"
            )
        os.makedirs(options.output, exist_ok=True)
        score = _score_by_script if options.entry else _score_natively
        done = _counted(score(options, files), len(files))
    except Problem as problem:
        sys.stdout.flush()
        print(f"roost score: {problem}", file=sys.stderr)
        return 2
    failed = [one for one in done if one.error]
    summary = {
        "model": options.model_name,
        "files": len(files),
        "scored": len(done) - len(failed),
        "seconds": round(time.monotonic() - began, 3),
        "failed": [{"file": one.file, "error": one.error} for one in failed],
        "results": {one.file: one.result for one in done if not one.error},
    }
    with open(os.path.join(options.output, "summary.json"), "w", encoding="utf-8") as out:
        json.dump(summary, out, indent=2)
        out.write("\n")
    for one in failed[:_TOLD]:
        print(f"failed {one.file}: {one.error}", file=sys.stderr)
    if len(failed) > _TOLD:
        print(f"and {len(failed) - _TOLD} more; summary.json has all", file=sys.stderr)
    print(f"scored {summary['scored']} of {len(files)} files in {summary['seconds']} s")
    return 1 if len(failed) > options.error_threshold else 0


def _score_natively(options: argparse.Namespace, files: List[str]) -> Iterable[Scored]:
    images = ImageOptions(_numbers(options.mean), _numbers(options.std))
    with ServedModel(_onnx_file(options.model)) as model:
        inputs = ", ".join(f"{name} {shape} {datatype}" for name, datatype, shape in model.inputs)
        print(f"model {options.model_name} takes {inputs}", flush=True)

        def score(file: str) -> Scored:
            try:
                values = read_inputs(os.path.join(options.input, file), model.inputs, images)
                outputs = model.infer(values)
                target = os.path.join(options.output, file)
                result = write_outputs(file, target, outputs)
                return Scored(file, os.path.relpath(result, options.output), "")
            except (Problem, OSError, KeyError, TypeError, ValueError) as error:
                text = (
                    str(error) if isinstance(error, Problem) else f"{type(error).__name__}: {error}"
                )
                return Scored(file, "", text)

        with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
            yield from pool.map(score, files)


def _score_by_script(options: argparse.Namespace, files: List[str]) -> Iterable[Scored]:
    os.environ["AZUREML_MODEL_DIR"] = options.model
    module = _load_script(options.entry)
    init = getattr(module, "init", None)
    run = getattr(module, "run", None)
    if not callable(run):
        raise Problem(f"{options.entry} has no run(mini_batch)")
    if callable(init):
        init()
    for start in range(0, len(files), options.mini_batch):
        batch = files[start : start + options.mini_batch]
        try:
            results = _run_batch(run, options.input, batch)
        except Exception as error:
            traceback.print_exc()
            if len(batch) == 1:
                yield Scored(batch[0], "", f"{type(error).__name__}: {error}")
                continue
            yield from _one_by_one(run, options, batch)  # to know which of them it was
            continue
        for file, result in zip(batch, results):
            yield _keep(options.output, file, result)


def _one_by_one(
    run: Callable[..., Any], options: argparse.Namespace, batch: List[str]
) -> Iterable[Scored]:
    for file in batch:
        try:
            yield _keep(options.output, file, _run_batch(run, options.input, [file])[0])
        except Exception as error:
            yield Scored(file, "", f"{type(error).__name__}: {error}")


def _run_batch(run: Callable[..., Any], folder: str, batch: List[str]) -> List[Any]:
    answer = run([os.path.join(folder, file) for file in batch])
    if hasattr(answer, "to_dict") and hasattr(answer, "columns"):
        answer = answer.to_dict("records")
    results: List[Any] = answer.tolist() if hasattr(answer, "tolist") else list(answer)
    if len(results) != len(batch):
        raise Problem(f"run() got {len(batch)} files and returned {len(results)} results")
    return results


def _keep(folder: str, file: str, result: Any) -> Scored:
    try:
        text = json.dumps(result, default=_plain)
    except (TypeError, ValueError) as error:
        return Scored(file, "", f"its result is no JSON: {error}")
    target = os.path.join(folder, file + ".json")
    os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
    with open(target, "w", encoding="utf-8") as out:
        out.write(text + "\n")
    return Scored(file, file + ".json", "")


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON")


def _load_script(path: str) -> Any:
    if not os.path.isfile(path):
        raise Problem(f"there is no entry script {path} in the code")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("roost_entry_script", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["roost_entry_script"] = module
    spec.loader.exec_module(module)
    return module


def _onnx_file(folder: str) -> str:
    found = [
        os.path.join(at, name)
        for at, _, names in os.walk(folder)
        for name in names
        if name.endswith(".onnx")
    ]
    if len(found) == 1:
        return found[0]
    what = "no .onnx file" if not found else "several .onnx files"
    raise Problem(
        f"the model has {what}: only ONNX models are scored without code. `roost model export` "
        "makes one of a PyTorch model; --code FOLDER --entry score.py scores any"
    )


def _files(folder: str) -> List[str]:
    if os.path.isfile(folder):
        return []
    found = []
    for at, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(at, name), folder) for name in names]
    return sorted(name for name in found if not os.path.basename(name).startswith("."))


def _counted(scored: Iterable[Scored], total: int) -> List[Scored]:
    done: List[Scored] = []
    told = time.monotonic()
    for one in scored:
        done.append(one)
        if time.monotonic() - told > 10:
            told = time.monotonic()
            print(f"{len(done)} of {total} files", flush=True)
    return done


def _numbers(text: str) -> List[float]:
    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise Problem(f"{text!r} is no list of numbers, like 0.485,0.456,0.406") from None


def _parse(words: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="roost score")
    parser.add_argument("--model", required=True, help="folder with the model's files")
    parser.add_argument("--model-name", default="")
    parser.add_argument("--input", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--entry", default="")
    parser.add_argument("--mini-batch", type=int, default=10)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--error-threshold", type=int, default=0)
    parser.add_argument("--mean", default="")
    parser.add_argument("--std", default="")
    options = parser.parse_args(words)
    if options.mini_batch < 1 or options.workers < 1:
        parser.error("--mini-batch and --workers must be 1 or more")
    return options


if __name__ == "__main__":
    sys.exit(main())
