"""Plays Optuna on the functions; run by bench/measures/sweeps.py with the Python that has Optuna.

    python optuna_player.py RESULTS.jsonl TRIALS SAMPLER,FUNCTION,SEED ...   adds a line for each to the file
    python optuna_player.py --time TRIALS                                    prints seconds of CPU of one GP suggestion
"""

import json
import math
import random
import sys
import time
import warnings
from typing import Any, Dict, List

import optuna
from sweep_functions import FUNCTIONS, Function, Parameters, summary

SAMPLERS = {"tpe": optuna.samplers.TPESampler, "gp": optuna.samplers.GPSampler}


def distribution(dimension: Dict[str, Any]) -> Any:
    values = dimension["values"]
    kind = dimension["expression"]
    if kind == "choice":
        return optuna.distributions.CategoricalDistribution(values)
    if kind == "quniform":
        if values[2] == 1:
            return optuna.distributions.IntDistribution(values[0], values[1])
        return optuna.distributions.FloatDistribution(values[0], values[1], step=values[2])
    if kind == "loguniform":
        return optuna.distributions.FloatDistribution(math.exp(values[0]), math.exp(values[1]), log=True)
    return optuna.distributions.FloatDistribution(values[0], values[1])


def play(sampler: str, function: Function, seed: int, trials: int) -> Dict[str, Any]:
    study = optuna.create_study(sampler=SAMPLERS[sampler](seed=seed))
    space = {dimension["name"]: distribution(dimension) for dimension in function.space}
    parameters: List[Parameters] = []
    observed: List[float] = []
    start = time.process_time()
    for number in range(trials):
        trial = study.ask(space)
        parameters.append(trial.params)
        observed.append(function.observe(trial.params, seed, number))
        study.tell(trial, observed[-1])
    return {"regret": summary(function, parameters, observed), "cpu_seconds": time.process_time() - start}


def time_of_suggestion(trials: int, repeats: int = 5) -> float:
    """CPU time of one more suggestion after `trials` random trials of Hartmann-6, the median."""
    function = FUNCTIONS["Hartmann-6"]
    space = {dimension["name"]: distribution(dimension) for dimension in function.space}
    times = []
    for seed in range(repeats):
        study = optuna.create_study(sampler=optuna.samplers.GPSampler(seed=seed))
        draws = random.Random(seed)
        for _ in range(trials):
            point = {name: draws.random() for name in space}
            study.add_trial(optuna.trial.create_trial(params=point, distributions=space, value=function.value(point)))
        study.tell(study.ask(space), 0.0)  # what is loaded and compiled once does not count
        start = time.process_time()
        study.ask(space)
        times.append(time.process_time() - start)
    return sorted(times)[len(times) // 2]


def main() -> None:
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    if sys.argv[1] == "--time":
        print(json.dumps({"seconds": time_of_suggestion(int(sys.argv[2])), "version": optuna.__version__}))
        return
    for job in sys.argv[3:]:
        sampler, name, seed = job.split(",")
        found = play(sampler, FUNCTIONS[name], int(seed), int(sys.argv[2]))
        with open(sys.argv[1], "a", encoding="utf-8") as file:
            print(json.dumps({"sampler": sampler, "function": name, "seed": int(seed), "trials": int(sys.argv[2]),
                              "version": optuna.__version__, **found}), file=file)


if __name__ == "__main__":
    main()
