"""Functions with known minima on which samplers are compared: the space as a sweep has it, the value, the noise."""

import dataclasses
import hashlib
import math
import random
from typing import Any, Callable, Dict, List

Parameters = Dict[str, Any]


@dataclasses.dataclass
class Function:
    name: str
    space: List[Dict[str, Any]]  # as `space` of a sweep
    value: Callable[[Parameters], float]  # without noise
    minimum: float
    noise: float = 0.0  # standard deviation

    def observe(self, parameters: Parameters, seed: int, trial: int) -> float:
        """What the trial logs. The noise belongs to seed and trial, so that both samplers meet the same."""
        if not self.noise:
            return self.value(parameters)
        digest = hashlib.sha256(f"{self.name} {seed} {trial}".encode()).digest()
        return self.value(parameters) + random.Random(digest).gauss(0.0, self.noise)

    def regret(self, parameters: Parameters) -> float:
        return max(self.value(parameters) - self.minimum, 0.0)


def _uniform(name: str, low: float, high: float) -> Dict[str, Any]:
    return {"name": name, "expression": "uniform", "values": [low, high]}


def _branin(p: Parameters) -> float:
    x, y = p["x"], p["y"]
    bend = y - 5.1 / (4 * math.pi ** 2) * x * x + 5 / math.pi * x - 6
    return bend * bend + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


HARTMANN_WEIGHTS = (1.0, 1.2, 3.0, 3.2)
HARTMANN_6_SCALES = ((10, 3, 17, 3.5, 1.7, 8), (0.05, 10, 17, 0.1, 8, 14), (3, 3.5, 1.7, 10, 17, 8), (17, 8, 0.05, 10, 0.1, 14))
HARTMANN_6_CENTRES = ((1312, 1696, 5569, 124, 8283, 5886), (2329, 4135, 8307, 3736, 1004, 9991),
                      (2348, 1451, 3522, 2883, 3047, 6650), (4047, 8828, 8732, 5743, 1091, 381))
HARTMANN_3_SCALES = ((3, 10, 30), (0.1, 10, 35), (3, 10, 30), (0.1, 10, 35))
HARTMANN_3_CENTRES = ((3689, 1170, 2673), (4699, 4387, 7470), (1091, 8732, 5547), (381, 5743, 8828))


def _hartmann(scales: Any, centres: Any) -> Callable[[Parameters], float]:
    def value(p: Parameters) -> float:
        total = 0.0
        for weight, row, centre in zip(HARTMANN_WEIGHTS, scales, centres):
            total -= weight * math.exp(-sum(a * (p[f"x{j}"] - c / 10000) ** 2 for j, (a, c) in enumerate(zip(row, centre))))
        return total
    return value


# Shaped like a training: each optimizer wants another learning rate, each activation another depth. The best is adam
# and gelu at lr 10^-3, 4 layers, dropout 0.2, decay 0.
BEST_RATE = {"sgd": -1.0, "adam": -3.0, "rmsprop": -3.6}
OPTIMIZER_LOSS = {"sgd": 0.12, "adam": 0.0, "rmsprop": 0.06}
BEST_DEPTH = {"relu": 3, "tanh": 2, "gelu": 4, "silu": 5}
ACTIVATION_LOSS = {"relu": 0.05, "tanh": 0.2, "gelu": 0.0, "silu": 0.03}


def _training(p: Parameters) -> float:
    rate = math.log10(p["lr"]) - BEST_RATE[p["optimizer"]]
    depth = p["layers"] - BEST_DEPTH[p["activation"]]
    dropout = p["dropout"] - 0.2 - 0.05 * depth
    return (1 - math.exp(-0.7 * rate * rate) + OPTIMIZER_LOSS[p["optimizer"]] + ACTIVATION_LOSS[p["activation"]] +
            0.03 * depth * depth + 1.5 * dropout * dropout + 0.4 * p["decay"] * (1 + 0.5 * math.cos(3 * rate)))


FUNCTIONS = {function.name: function for function in [
    Function("Branin", [_uniform("x", -5, 10), _uniform("y", 0, 15)], _branin, 0.397887357729739),
    Function("Hartmann-6", [_uniform(f"x{i}", 0, 1) for i in range(6)], _hartmann(HARTMANN_6_SCALES, HARTMANN_6_CENTRES),
             -3.322368011415515),
    Function("noisy Hartmann-3", [_uniform(f"x{i}", 0, 1) for i in range(3)],
             _hartmann(HARTMANN_3_SCALES, HARTMANN_3_CENTRES), -3.862779787332663, noise=0.1),
    Function("mixed", [
        {"name": "lr", "expression": "loguniform", "values": [math.log(1e-5), math.log(1.0)]},
        {"name": "optimizer", "expression": "choice", "values": ["sgd", "adam", "rmsprop"]},
        {"name": "activation", "expression": "choice", "values": ["relu", "tanh", "gelu", "silu"]},
        {"name": "layers", "expression": "quniform", "values": [1, 8, 1]},
        {"name": "dropout", "expression": "quniform", "values": [0.0, 0.6, 0.05]},
        _uniform("decay", 0.0, 1.0),
    ], _training, 0.0),
]}


def summary(function: Function, parameters: List[Parameters], observed: List[float]) -> Dict[str, float]:
    """The regret, without noise, of the trial that looked best after 30, 50 and all trials."""
    answer = {}
    for count in (30, 50, len(observed)):
        best = min(range(min(count, len(observed))), key=lambda i: observed[i])
        answer[str(count)] = function.regret(parameters[best])
    return answer
