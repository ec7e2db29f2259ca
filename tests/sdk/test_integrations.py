"""Lightning and transformers as they come from the package index, with tiny models made at random."""
import os
import subprocess
import textwrap
from pathlib import Path
from typing import Any, Dict

import pytest

from hub_python import hub_python
from roost_fixture import ROOT, RoostServer
from sdk_fixtures import at_server  # noqa: F401

NET = """
    import lightning, torch
    from torch.utils.data import DataLoader, TensorDataset

    class Net(lightning.LightningModule):
        def __init__(self, lr=0.1):
            super().__init__()
            self.save_hyperparameters()
            self.layer = torch.nn.Linear(4, 1)

        def loss(self, batch):
            return ((self.layer(batch[0]) - batch[1]) ** 2).mean()

        def training_step(self, batch, index):
            loss = self.loss(batch)
            self.log("train_loss", loss)
            return loss

        def validation_step(self, batch, index):
            self.log("valid_loss", self.loss(batch))

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)

    x = torch.randn(64, 4)
    data = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)
    options = dict(max_epochs=2, enable_progress_bar=False, enable_model_summary=False, log_every_n_steps=4,
                   accelerator="cpu", enable_checkpointing=False)
    """
BERT = """
    import torch
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

    model = BertForSequenceClassification(BertConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, vocab_size=50))
    data = [{"input_ids": torch.randint(0, 50, (8,)), "labels": torch.tensor(i % 2)} for i in range(32)]
    options = dict(output_dir="made", num_train_epochs=1, logging_steps=2, per_device_train_batch_size=8, use_cpu=True,
                   save_strategy="no", eval_strategy="epoch", disable_tqdm=True)
    """


@pytest.fixture(scope="module")
def python() -> str:
    return hub_python()


def run_script(python: str, folder: Path, code: str) -> None:
    (folder / "train.py").write_text(code, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([python, "train.py"], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def only_run(server: RoostServer, name: str) -> Dict[str, Any]:
    (run,) = server.get(f"/workspaces/default/runs?experiment={name}")["items"]
    return server.get(f"/runs/{run['id']}")


def metrics(server: RoostServer, run: Dict[str, Any]) -> Dict[str, Any]:
    return {item["name"]: item for item in server.get(f"/runs/{run['id']}/metrics")["items"]}


def test_lightning(python: str, at_server: RoostServer, name: str, tmp_path: Path) -> None:
    run_script(python, tmp_path, textwrap.dedent(NET) + textwrap.dedent(f"""
        from roost.integrations.lightning import RoostLogger
        logger = RoostLogger(project="{name}", tags=["tiny"])
        trainer = lightning.Trainer(logger=logger, **options)
        trainer.fit(Net(), data, data)
        trainer.validate(Net(), data)
        logger.experiment.log_image("sample", torch.rand(3, 8, 8), step=1)
        """))
    run = only_run(at_server, name)
    assert run["status"] == "Completed" and run["params"] == {"lr": "0.1"} and run["tags"] == {"tiny": None}
    found = metrics(at_server, run)
    assert found["train_loss"]["count"] == 4 and found["train_loss"]["last_step"] == 15
    assert found["valid_loss"]["count"] == 3 and found["sample"]["kind"] == "image"


def test_lightning_failed(python: str, at_server: RoostServer, name: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no more birds"):
        run_script(python, tmp_path, textwrap.dedent(NET) + textwrap.dedent(f"""
            from roost.integrations.lightning import RoostLogger
            class Broken(Net):
                def on_train_epoch_end(self):
                    raise ValueError("no more birds")
            lightning.Trainer(logger=RoostLogger(project="{name}"), **options).fit(Broken(), data, data)
            """))
    run = only_run(at_server, name)
    assert (run["status"], run["error"]["message"]) == ("Failed", "ValueError: no more birds")


def test_transformers(python: str, at_server: RoostServer, name: str, tmp_path: Path) -> None:
    run_script(python, tmp_path, textwrap.dedent(BERT) + textwrap.dedent(f"""
        from roost.integrations.transformers import RoostCallback
        trainer = Trainer(model=model, args=TrainingArguments(report_to="none", **options), train_dataset=data,
                          eval_dataset=data, callbacks=[RoostCallback(project="{name}")])
        trainer.train()
        """))
    run = only_run(at_server, name)
    assert run["status"] == "Completed"
    assert run["params"]["num_train_epochs"] == "1" and run["params"]["model.hidden_size"] == "16"
    found = metrics(at_server, run)
    assert (found["train/loss"]["count"], found["train/loss"]["last_step"], found["eval/loss"]["count"]) == (2, 4, 1)


def test_the_callback_of_transformers_own(python: str, at_server: RoostServer, name: str, tmp_path: Path) -> None:
    import roost

    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "train.py").write_text(textwrap.dedent(BERT) + textwrap.dedent("""
        Trainer(model=model, args=TrainingArguments(report_to="azure_ml", **options), train_dataset=data,
                eval_dataset=data).train()
        """), encoding="utf-8")
    run = roost.submit(command=f"{python} train.py", folder=tmp_path / "source", project=name,
                       variables={"HF_HUB_OFFLINE": "1"}, wait=True)
    assert len(run.metrics("loss")) == 2 and run.metrics("eval_loss") > 0
