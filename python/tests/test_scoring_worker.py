"""The worker as a process, and the scripts that do what scripts should not."""

import json
import os
import pickle
import re

import pytest
from scoring import Worker

LINE = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [IWE] \[\d+\] azmlinfsrv - "


@pytest.fixture
def start(tmp_path):
    workers = []

    def begin(text=None, **variables):
        workers.append(Worker(tmp_path, text, **variables))
        return workers[-1]

    yield begin
    for worker in workers:
        worker.process.kill()
        worker.close()


def test_answers_until_the_other_side_is_gone(start):
    worker = start("""
        import os
        print("imported")
        def init():
            global count
            count = 0
        def run(data):
            global count
            count += 1
            return [count, data, os.getcwd()]
    """)
    assert worker.greeting == {"kind": "ready", "raw": False}
    assert sorted(json.loads(worker.about.decode())) == ["2", "3", "3.1"]
    for number in range(1, 101):
        assert worker.ask("x").json[:2] == [number, "x"]
    large = "y" * 1_000_000
    assert worker.ask(large).json[1] == large
    printed = worker.close()
    assert worker.process.returncode == 0
    assert "imported\n" in printed and re.search(LINE + "Invoking user's init", printed, re.M)


@pytest.mark.parametrize("where", ["import", "init"])
def test_what_could_not_start(start, tmp_path, where):
    models = tmp_path / "azureml-models" / "birds" / "3"
    models.mkdir(parents=True)
    for number in range(250):
        (models / f"part{number:03}").write_text("")
    body = "raise OSError('no model here')"
    text = {
        "import": body,
        "init": f"def init():\n    {body}\ndef run(data):\n    pass\n",
    }[where]
    worker = start(text, AZUREML_MODEL_DIR="azureml-models/birds/3")
    assert worker.greeting["kind"] == "failed"
    assert worker.greeting["message"].endswith("raised OSError: no model here")
    assert worker.about.decode().startswith("Traceback") and "score.py" in worker.about.decode()
    printed = worker.close()
    assert worker.process.returncode == 3
    assert "OSError: no model here" in printed and "Model Directory Contents:" in printed
    assert "part190" in printed and "part210" not in printed
    assert "Output Truncated. First 200 lines shown." in printed


def test_exception_is_in_the_log(start):
    worker = start("def init(): pass\ndef run(data):\n    return {}[data]\n")
    assert worker.ask("missing").status == 500
    assert worker.ask("missing").status == 500
    printed = worker.close()
    assert printed.count("KeyError: 'missing'") == 2 and "return {}[data]" in printed


def test_exit_in_run(start):
    worker = start("import os\ndef init(): pass\ndef run(data):\n    os._exit(7)\n")
    assert worker.ask("x") is None
    worker.close()
    assert worker.process.returncode == 7


def test_end_by_a_signal(start, tmp_path):
    """As when its replica stops: what is registered for the end of the process is done."""
    worker = start("""
        import atexit
        def init():
            atexit.register(lambda: open("ended", "w").close())
        def run(data):
            return 1
    """)
    assert worker.ask("x").json == 1
    worker.process.terminate()
    assert worker.process.wait(60) == 0
    assert (tmp_path / "ended").exists()


def test_level_of_the_log(start):
    worker = start("def init(): pass\ndef run(data): return 1\n", AZUREML_LOG_LEVEL="WARNING")
    assert "Invoking" not in worker.close()


def test_modules_beside_the_script(start, tmp_path):
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "at_root.py").write_text("WHERE = 'root'")
    (tmp_path / "src" / "in_source.py").write_text("WHERE = 'source'")
    (tmp_path / "src" / "deep" / "beside.py").write_text("WHERE = 'beside'")
    (tmp_path / "src" / "deep" / "score.py").write_text(
        "import at_root, in_source, beside\n"
        "def init(): pass\n"
        "def run(data): return [at_root.WHERE, in_source.WHERE, beside.WHERE]\n"
    )
    worker = start(
        AZUREML_ENTRY_SCRIPT="src/deep/score.py", AZUREML_SOURCE_DIRECTORY="src"
    )
    assert worker.ask("x").json == ["root", "source", "beside"]


def test_names_of_the_socket_do_not_reach_children(start):
    worker = start("""
        import subprocess, sys
        def init(): pass
        def run(data):
            code = "import os; print(sorted(os.listdir('/proc/self/fd')))"
            return subprocess.check_output([sys.executable, "-c", code]).decode()
    """)
    assert "socket" not in worker.ask("x").json
    first = worker.ask("x").json
    assert worker.ask("x").json == first


def test_model_path_in_a_script(start, tmp_path):
    folder = tmp_path / "azureml-models" / "birds" / "3" / "birds"
    folder.mkdir(parents=True)
    (folder / "weights.bin").write_text("w")
    worker = start(
        """
        from azureml.core.model import Model
        def init():
            global path
            path = Model.get_model_path("birds")
        def run(data):
            try:
                Model.get_model_path("cats")
            except Exception as error:
                return [path, type(error).__name__, str(error)]
        """,
        AZUREML_MODEL_DIR="azureml-models/birds/3",
        ROOST_SPOOL="",
    )
    path, kind, text = worker.ask("x").json
    assert path == "azureml-models/birds/3/birds" and kind == "ModelNotFoundException"
    assert "'cats'" in text and "birds:3" in text


def test_collected_data(start, tmp_path):
    worker = start("""
        from azureml.monitoring import ModelDataCollector
        def init():
            global inputs
            inputs = ModelDataCollector("best", designation="inputs", feature_names=["a", "b"])
        def run(data):
            return inputs.collect([[1, 2], [3, 4]])
    """)
    correlation = worker.ask("x").json
    worker.ask("x")
    (file,) = (tmp_path / "outputs").rglob("*.csv")
    lines = file.read_text().splitlines()
    assert lines[0] == "$CorrelationId,$Timestamp,a,b" and len(lines) == 5
    assert lines[1].startswith(correlation) and lines[2].endswith(",3,4")


# Without a script.


class Toy:
    """Stands in for a model of scikit-learn's."""

    def predict(self, rows):
        if any(len(row) != 2 for row in rows):
            raise ValueError("X has another number of features, but Toy is expecting 2")
        return [sum(row) for row in rows]


class ToyClassifier(Toy):
    def predict_proba(self, rows):
        return [[0.25, 0.75] for _ in rows]


def start_model(start, tmp_path, model):
    folder = tmp_path / "azureml-models" / "toy" / "1"
    folder.mkdir(parents=True)
    (folder / "model.pkl").write_bytes(pickle.dumps(model))
    path = os.pathsep.join([os.path.dirname(os.path.dirname(__file__)), os.path.dirname(__file__)])
    return start(
        ROOST_SCORING="sklearn", AZUREML_MODEL_DIR="azureml-models/toy/1", PYTHONPATH=path
    )


def test_model_without_a_script(start, tmp_path):
    worker = start_model(start, tmp_path, Toy())
    assert worker.greeting["kind"] == "ready", worker.greeting
    assert worker.ask('{"data": [[1, 2], [3, 4]]}').json == {"predict": [3, 7]}
    for body, says in [
        ("{", "the body is not JSON"),
        ("[]", '"data", a list of rows'),
        ('{"data": 3}', "must be a list of rows"),
        ('{"data": [[1]]}', "refused the data: X has another number"),
        ('{"data": [[1]], "method": "fit"}', "there is no method 'fit'"),
        ('{"data": [[1, 2]], "method": "predict_proba"}', "a Toy, has no predict_proba"),
    ]:
        answer = worker.ask(body)
        assert answer.status == 400 and says in answer.json["message"]


def test_classifier_without_a_script(start, tmp_path):
    worker = start_model(start, tmp_path, ToyClassifier())
    assert worker.ask('{"data": [[1, 2]]}').json == {"predict_proba": [[0.25, 0.75]]}
    assert worker.ask('{"data": [[1, 2]], "method": "predict"}').json == {"predict": [3]}


def test_no_single_model(start, tmp_path):
    folder = tmp_path / "azureml-models" / "toy" / "1"
    folder.mkdir(parents=True)
    (folder / "a.pkl").write_bytes(b"")
    (folder / "b.pkl").write_bytes(b"")
    worker = start(ROOST_SCORING="sklearn", AZUREML_MODEL_DIR="azureml-models/toy/1")
    assert worker.greeting["kind"] == "failed"
    assert "there is a.pkl, b.pkl" in worker.greeting["message"]


def test_model_of_scikit_learn(start, tmp_path):
    sklearn = pytest.importorskip("sklearn.linear_model")
    model = sklearn.LogisticRegression().fit([[0, 0], [1, 1]], [0, 1])
    worker = start_model(start, tmp_path, model)
    answer = worker.ask('{"data": [[0, 0], [1, 1]], "method": "predict"}')
    assert answer.json == {"predict": [0, 1]}
    ((low, high),) = worker.ask('{"data": [[1, 1]]}').json["predict_proba"]
    assert high > low
    assert worker.ask('{"data": [[1]]}').status == 400


