"""azureml.train.hyperdrive without a server: names, positions, values, and what is refused."""

import inspect
import math
import warnings

import pytest
from fake_workspace import FakeWorkspace

from azureml.core import ScriptRunConfig
from azureml.exceptions import UserErrorException
from azureml.train import hyperdrive
from azureml.train.hyperdrive import (
    BanditPolicy,
    BayesianParameterSampling,
    GridParameterSampling,
    HyperDriveConfig,
    HyperDriveRun,
    HyperDriveRunConfig,
    MedianStoppingPolicy,
    NoTerminationPolicy,
    PrimaryMetricGoal,
    RandomParameterSampling,
    TruncationSelectionPolicy,
    choice,
    lognormal,
    loguniform,
    normal,
    qlognormal,
    qloguniform,
    qnormal,
    quniform,
    randint,
    uniform,
)

EXPORTED = [
    "HyperDriveConfig",
    "HyperDriveRunConfig",
    "HyperDriveRun",
    "PrimaryMetricGoal",
    "RandomParameterSampling",
    "GridParameterSampling",
    "BayesianParameterSampling",
    "BanditPolicy",
    "MedianStoppingPolicy",
    "TruncationSelectionPolicy",
    "NoTerminationPolicy",
    "choice",
    "randint",
    "uniform",
    "quniform",
    "loguniform",
    "qloguniform",
    "normal",
    "qnormal",
    "lognormal",
    "qlognormal",
]
SPACE = {"--lr": uniform(0.01, 0.1)}
GOAL = PrimaryMetricGoal.MAXIMIZE


@pytest.fixture
def training(tmp_path):
    (tmp_path / "train.py").write_text("print(1)")
    return ScriptRunConfig(str(tmp_path), script="train.py", arguments=["--epochs", 3])


def names_of(function):
    return [name for name in inspect.signature(function).parameters if name != "self"]


# Where things are.


def test_star_gives_every_name():
    found = {}
    exec("from azureml.train.hyperdrive import *", found)
    assert set(EXPORTED) <= set(found)


@pytest.mark.parametrize(
    "module, names",
    [
        ("runconfig", ["HyperDriveConfig", "HyperDriveRunConfig"]),
        ("sampling", ["RandomParameterSampling", "HyperParameterSampling"]),
        ("run", ["PrimaryMetricGoal", "HyperDriveRun"]),
        ("policy", ["BanditPolicy", "EarlyTerminationPolicy"]),
        ("parameter_expressions", [name for name in EXPORTED if name.islower()]),
    ],
)
def test_the_modules_that_real_files_import_from(module, names):
    found = {}
    exec(f"from azureml.train.hyperdrive.{module} import *", found)
    assert [name for name in names if found[name] is not getattr(hyperdrive, name)] == []


def test_run_details_is_in_both_places():
    from azureml.train.widgets import RunDetails
    from azureml.widgets import RunDetails as newer

    assert RunDetails is newer


def test_positions():
    first = ["hyperparameter_sampling", "primary_metric_name", "primary_metric_goal"]
    limits = ["max_total_runs", "max_concurrent_runs", "max_duration_minutes", "policy"]
    assert names_of(HyperDriveConfig)[:8] == [*first, *limits, "estimator"]
    assert names_of(HyperDriveConfig)[8:12] == [
        "run_config",
        "resume_from",
        "resume_child_runs",
        "pipeline",
    ]
    assert names_of(HyperDriveRunConfig) == ["estimator", *first, *limits]
    assert names_of(BanditPolicy)[0] == "evaluation_interval"
    assert names_of(TruncationSelectionPolicy)[0] == "truncation_percentage"
    assert names_of(HyperDriveRun)[:3] == ["experiment", "run_id", "hyperdrive_config"]
    assert issubclass(HyperDriveRunConfig, HyperDriveConfig)


@pytest.mark.parametrize("text", ["MAXIMIZE", "maximize", "Maximize"])
def test_a_goal_from_a_text(text):
    assert PrimaryMetricGoal(text) is PrimaryMetricGoal.MAXIMIZE
    with pytest.raises(ValueError):
        PrimaryMetricGoal("most")


# Expressions.


def test_expressions_are_a_name_and_values():
    assert uniform(0.9, 0.99) == ["uniform", [0.9, 0.99]]
    assert quniform(1, 8, 2) == ["quniform", [1, 8, 2]]
    assert loguniform(-9, -2) == ["loguniform", [-9, -2]]
    assert qloguniform(0, 5, 1) == ["qloguniform", [0, 5, 1]]
    assert normal(0, 1) == ["normal", [0, 1]] and lognormal(0, 1) == ["lognormal", [0, 1]]
    assert qnormal(0, 1, 0.5) == ["qnormal", [0, 1, 0.5]]
    assert qlognormal(0, 1, 2) == ["qlognormal", [0, 1, 2]]
    assert randint(8) == ["randint", [8]]


def test_options_may_be_several_a_list_or_a_range_and_keep_their_types():
    assert choice(1, 0.1, "a", True) == ["choice", [1, 0.1, "a", True]]
    assert choice([16, 32]) == choice((16, 32)) == choice(16, 32)
    assert choice(range(2, 8, 2)) == ["choice", [2, 4, 6]]
    assert choice({"b", "a", "c"}) == choice("a", "b", "c"), "as it comes in every process"
    assert choice(5) == ["choice", [5]]


def test_values_of_numpy():
    numpy = pytest.importorskip("numpy")
    (kind, values) = choice(numpy.array([1, 2]))
    bounds = loguniform(numpy.log(1e-6), float(numpy.log(1e-1)))
    assert (kind, values) == ("choice", [1, 2]) and {type(value) for value in values} == {int}
    assert bounds[1] == pytest.approx([math.log(1e-6), math.log(1e-1)])
    assert type(bounds[1][0]) is float


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: choice(), r"nothing to choose from.*choice\(16, 32\)"),
        (lambda: choice([]), "nothing to choose from"),
        (lambda: choice(1, None), "None, which no command line can hold"),
        (lambda: choice(1, float("nan")), "finite number, not nan"),
        (lambda: choice(print), "is of type builtin_function"),
        (lambda: randint(0), r"randint\(upper\) must be a whole number of 1 or more, not 0"),
        (lambda: randint(2.5), "whole number, not 2.5"),
        (lambda: uniform(1, 0), r"uniform\(1, 0\): the lower bound comes first"),
        (lambda: uniform(1, 1), r"write choice\(1\)"),
        (lambda: uniform("a", 1), "lower bound of uniform.* must be a finite number, not 'a'"),
        (lambda: uniform(0, math.inf), "upper bound of uniform.* must be a finite number"),
        (lambda: quniform(0, 1, 0), "q of quniform.* must be above 0, not 0"),
        (lambda: normal(0, 0), r"sigma of normal\(0, 0\) must be above 0"),
        (lambda: loguniform(1e-3, 1000), r"takes logarithms, and exp\(1000\) is no number"),
    ],
)
def test_expressions_that_cannot_be(make, words):
    with pytest.raises(UserErrorException, match=words):
        make()


@pytest.mark.parametrize("bounds", [(1e-4, 1e-1), (0.01, 5), (16, 256)])
def test_bounds_that_should_be_logarithms(bounds):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loguniform(*bounds)
        qloguniform(*bounds, 1)
    assert len(caught) == 2 and all(one.filename == __file__ for one in caught)
    text = str(caught[0].message)
    low, high = (f"{math.log(bound):.4g}" for bound in bounds)
    assert "takes logarithms" in text and f"write loguniform({low}, {high})" in text


@pytest.mark.parametrize("bounds", [(-9.2, -2.3), (0, 1), (math.log(2), math.log(4096)), (-1, 3)])
def test_logarithms_are_not_warned_of(bounds):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loguniform(*bounds)


# Samplings.


def test_names_of_samplings():
    assert RandomParameterSampling.SAMPLING_NAME == "RANDOM"
    assert RandomParameterSampling(SPACE).name == "RANDOM"
    for kind in (RandomParameterSampling, GridParameterSampling, BayesianParameterSampling):
        assert issubclass(kind, hyperdrive.HyperParameterSampling)


def test_properties_of_random_sampling():
    assert RandomParameterSampling(SPACE)._sampling() == {"type": "random"}
    found = RandomParameterSampling(SPACE, {"seed": 7, "rule": "Sobol"})
    assert found._sampling() == {"type": "sobol", "seed": 7}
    given = RandomParameterSampling(SPACE, properties={"seed": None, "rule": None, "logbase": None})
    assert given._sampling() == {"type": "random"}


@pytest.mark.parametrize("base, factor", [(10, math.log(10)), ("e", 1), (2.0, math.log(2))])
def test_another_base_of_logarithms(base, factor):
    space = {
        "a": loguniform(-4, -1),
        "b": qloguniform(0, 3, 2),
        "c": lognormal(1, 2),
        "d": uniform(0, 1),
    }
    found = RandomParameterSampling(space, {"logbase": base})
    assert found._sampling() == {"type": "random"}
    values = [dimension["values"] for dimension in found._space()]
    assert values[0] == pytest.approx([-4 * factor, -factor])
    assert values[1] == pytest.approx([0, 3 * factor, 2])
    assert values[2] == pytest.approx([factor, 2 * factor])
    assert values[3] == [0, 1]


@pytest.mark.parametrize(
    "properties, words",
    [
        ({"sed": 1}, "may hold seed, rule, logbase; leave out sed"),
        ({"seed": -1}, "the property seed must be a whole number of 0 or more"),
        ({"seed": "x"}, "the property seed must be a whole number"),
        ({"rule": "latin"}, "random or sobol, not 'latin'"),
        ({"logbase": 1}, "a number above 1, or 'e', not 1"),
        ({"logbase": "ten"}, "logbase must be a finite number, not 'ten'"),
        ([1], "must be a dict, not list"),
    ],
)
def test_properties_that_cannot_be(properties, words):
    with pytest.raises(UserErrorException, match=words):
        RandomParameterSampling(SPACE, properties)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: RandomParameterSampling({}), "the parameter space is empty.*at least one"),
        (lambda: GridParameterSampling({}), "the parameter space is empty"),
        (lambda: RandomParameterSampling([]), "is a dict of name to expression.*not list"),
        (lambda: RandomParameterSampling({"lr": 0.1}), r"the parameter lr is 0.1. Say how"),
        (lambda: RandomParameterSampling({"lr": [1, 2]}), r"choice\(\.\.\.\)"),
        (lambda: RandomParameterSampling({3: choice(1)}), "must be a text such as '--lr', not 3"),
        (lambda: RandomParameterSampling({"--": choice(1)}), "must be a text such as '--lr'"),
        (
            lambda: RandomParameterSampling({"lr": choice(1), "--lr": choice(2)}),
            "'lr' and '--lr' are the same argument",
        ),
        (lambda: GridParameterSampling(SPACE), "--lr is uniform.*choice.*RandomParameterSampling"),
        (lambda: GridParameterSampling({"n": randint(3)}), "n is randint"),
        (
            lambda: BayesianParameterSampling({"lr": loguniform(-3, -1)}),
            "takes choice, uniform and quniform, and lr is loguniform",
        ),
    ],
)
def test_spaces_that_cannot_be(make, words):
    with pytest.raises(UserErrorException, match=words):
        make()


def test_the_space_keeps_the_order_of_the_dict():
    space = {"z": choice(1, 2), "--a": uniform(0, 1)}
    assert RandomParameterSampling(space)._space() == [
        {"name": "z", "expression": "choice", "values": [1, 2]},
        {"name": "--a", "expression": "uniform", "values": [0, 1]},
    ]


# Policies.


def test_policies():
    assert BanditPolicy(2, 0.1)._policy() == {
        "type": "bandit",
        "evaluation_interval": 2,
        "delay_evaluation": 0,
        "slack_factor": 0.1,
    }
    bandit = BanditPolicy(slack_amount=0.2, delay_evaluation=5)
    assert (bandit.slack_factor, bandit.slack_amount, bandit.delay_evaluation) == (None, 0.2, 5)
    assert MedianStoppingPolicy(1, 5)._policy()["delay_evaluation"] == 5
    truncation = TruncationSelectionPolicy(20, exclude_finished_jobs=True)
    assert truncation._policy()["exclude_finished_jobs"] and truncation.truncation_percentage == 20
    assert NoTerminationPolicy()._policy() is None
    for policy in (bandit, truncation, MedianStoppingPolicy(), NoTerminationPolicy()):
        assert isinstance(policy, hyperdrive.EarlyTerminationPolicy)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: BanditPolicy(), "slack_factor .* or slack_amount .*got neither"),
        (lambda: BanditPolicy(1, 0.1, 0.1), "got both"),
        (lambda: BanditPolicy(slack_factor=-0.1), "slack_factor must be 0 or more, not -0.1"),
        (lambda: BanditPolicy(0.1, 0.2), "evaluation_interval must be a whole number, not 0.1"),
        (lambda: BanditPolicy(0, 0.2), "evaluation_interval must be a whole number of 1 or more"),
        (lambda: BanditPolicy(slack_factor=1, delay_evaluation=-1), "delay_evaluation must be"),
        (lambda: TruncationSelectionPolicy(100), "truncation_percentage .* from 1 to 99, not 100"),
        (lambda: TruncationSelectionPolicy(0.2), "truncation_percentage must be a whole number"),
    ],
)
def test_policies_that_cannot_be(make, words):
    with pytest.raises(UserErrorException, match=words):
        make()


# The whole.


def config(training, **more):
    given = {
        "hyperparameter_sampling": RandomParameterSampling(SPACE, {"seed": 1}),
        "primary_metric_name": "accuracy",
        "primary_metric_goal": GOAL,
        "max_total_runs": 8,
        "run_config": training,
    }
    return HyperDriveConfig(**{**given, **more})


def test_what_is_sent(training):
    found = config(training, policy=BanditPolicy(slack_factor=0.1), max_concurrent_runs=4)
    run = found._submission(FakeWorkspace()).spec
    assert run["arguments"] == ["--epochs", "3"]
    assert found._sweep_spec(run) == {
        "run": run,
        "space": [{"name": "--lr", "expression": "uniform", "values": [0.01, 0.1]}],
        "sampling": {"type": "random", "seed": 1},
        "metric": {"name": "accuracy", "goal": "maximize"},
        "policy": found._policy._policy(),
        "max_total_runs": 8,
        "max_concurrent_runs": 4,
        "max_duration_minutes": 10080,
        "resume_from": [],
        "resume_child_runs": [],
    }
    assert found.run_config is training and found.estimator is None


def test_positional_calls_of_both_configurations(tmp_path):
    from azureml.train.estimator import Estimator

    (tmp_path / "train.py").write_text("")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = Estimator(str(tmp_path), compute_target="local", entry_script="train.py")
    sampling, policy = BayesianParameterSampling(SPACE), BanditPolicy(1, 0.2)
    new = HyperDriveConfig(sampling, "loss", "MINIMIZE", 20, 4, 60, policy, estimator)
    old = HyperDriveRunConfig(
        estimator, sampling, "loss", PrimaryMetricGoal.MINIMIZE, 20, 4, 60, policy
    )
    assert new._sweep_spec({}) == old._sweep_spec({})
    assert new._sweep_spec({})["sampling"] == {"type": "bayesian"}
    assert new._sweep_spec({})["policy"]["slack_factor"] == 0.2, "Azure refuses one with Bayesian"
    assert new.estimator is old.estimator is estimator and new.run_config is None


@pytest.mark.parametrize(
    "change, words",
    [
        ({"run_config": None}, "run_config=ScriptRunConfig.* or estimator=, and got neither"),
        ({"estimator": 1}, "and got both"),
        ({"run_config": "train.py"}, "run_config is a str, which is no training"),
        ({"run_config": None, "estimator": 3}, "estimator is a int"),
        ({"hyperparameter_sampling": SPACE}, "hyperparameter_sampling must be .* not dict"),
        ({"primary_metric_name": ""}, r"the name that the script gives to run.log\(\)"),
        ({"primary_metric_goal": "best"}, "PrimaryMetricGoal.MAXIMIZE or .*, not 'best'"),
        ({"policy": "bandit"}, "policy must be a BanditPolicy or the like, not 'bandit'"),
        ({"max_total_runs": 0}, "max_total_runs must be a whole number of 1 or more, not 0"),
        ({"max_total_runs": None}, "max_total_runs must be a whole number, not None"),
        ({"max_concurrent_runs": 0}, "max_concurrent_runs must be a whole number of 1 or more"),
        (
            {"max_concurrent_runs": 9},
            "max_concurrent_runs is 9.*max_total_runs=8.*Lower the first or raise the second",
        ),
        ({"max_duration_minutes": 0}, "max_duration_minutes must be a whole number of 1 or more"),
        ({"resume_from": 3}, "resume_from must be a HyperDriveRun, or a list of them, not int"),
        ({"resume_from": list("abcdef")}, "at most 5 sweeps, not 6"),
        ({"resume_child_runs": 3}, "resume_child_runs must be a Run, or a list of them"),
    ],
)
def test_configurations_that_cannot_be(training, change, words):
    with pytest.raises(UserErrorException, match=words):
        config(training, **change)


def test_pipelines_are_refused_by_name(training):
    with pytest.raises(NotImplementedError, match=r"HyperDriveConfig\(pipeline=\).*run_config="):
        config(None, pipeline=object())


def test_a_sweep_of_a_sweep_is_refused(training):
    with pytest.raises(UserErrorException, match="run_config is a HyperDriveConfig"):
        config(config(training))
