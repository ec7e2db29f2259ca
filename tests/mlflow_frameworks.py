"""Small trainings with what people use, each through its own way to MLflow. Called as `mlflow_frameworks.py WHICH`."""
import os
import sys

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def lightning() -> None:
    import torch
    from lightning.pytorch import LightningModule, Trainer
    from lightning.pytorch.loggers import MLFlowLogger

    class Line(LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.save_hyperparameters({"rate": 0.1})
            self.layer = torch.nn.Linear(1, 1)

        def training_step(self, batch, _):
            x, y = batch
            loss = torch.nn.functional.mse_loss(self.layer(x), y)
            self.log("train_loss", loss)
            return loss

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    x = torch.linspace(0, 1, 16).unsqueeze(1)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, 2 * x), batch_size=4)
    logger = MLFlowLogger("lightning", tracking_uri=os.environ["MLFLOW_TRACKING_URI"], log_model=True)
    Trainer(max_epochs=3, logger=logger, log_every_n_steps=1, enable_progress_bar=False, accelerator="cpu",
            enable_model_summary=False).fit(Line(), data)


def _trainer(report_to: str) -> None:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

    config = BertConfig(vocab_size=32, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    rows = [{"input_ids": torch.randint(0, 32, (8,)), "labels": torch.tensor(i % 2)} for i in range(16)]
    arguments = TrainingArguments(output_dir="hf", report_to=[report_to], logging_steps=1, max_steps=6, use_cpu=True,
                                  per_device_train_batch_size=4, save_strategy="no", disable_tqdm=True)
    Trainer(model=BertForSequenceClassification(config), args=arguments, train_dataset=rows).train()


def transformers() -> None:
    os.environ["MLFLOW_EXPERIMENT_NAME"] = "transformers"
    _trainer("mlflow")


def azure() -> None:
    _trainer("azure_ml")


def sklearn() -> None:
    import mlflow
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression

    mlflow.set_experiment("sklearn")
    mlflow.sklearn.autolog()
    x, y = load_iris(return_X_y=True)
    LogisticRegression(max_iter=200).fit(x, y)


def pytorch() -> None:
    import mlflow
    import torch
    from lightning.pytorch import LightningModule, Trainer

    class Line(LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)

        def training_step(self, batch, _):
            loss = torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1])
            self.log("loss", loss, on_epoch=True)
            return loss

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    mlflow.set_experiment("pytorch")
    mlflow.pytorch.autolog(log_models=True)
    x = torch.linspace(0, 1, 16).unsqueeze(1)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, 2 * x), batch_size=4)
    Trainer(max_epochs=2, enable_progress_bar=False, accelerator="cpu", logger=False, enable_checkpointing=False,
            enable_model_summary=False).fit(Line(), data)


def optuna() -> None:
    import optuna as tuner
    from optuna_integration.mlflow import MLflowCallback

    callback = MLflowCallback(tracking_uri=os.environ["MLFLOW_TRACKING_URI"], metric_name="score")
    study = tuner.create_study(study_name="optuna", sampler=tuner.samplers.RandomSampler(seed=1))
    study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=3, callbacks=[callback])


def plain() -> None:
    """What a script of Azure ML does in its run."""
    import mlflow

    mlflow.log_param("rate", 0.1)
    for step in range(5):
        mlflow.log_metric("loss", 1 / (step + 1), step=step)
    mlflow.log_text("hello", "notes/a.txt")
    mlflow.set_tag("stage", "baseline")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
