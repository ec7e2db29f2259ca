"""Code as a team has it that used Azure ML's SDK v1. It knows nothing of Roost: python3 submit_birds.py"""
from azureml.core import Environment, Experiment, Model, ScriptRunConfig, Workspace
from azureml.core.compute import AmlCompute, ComputeTarget
from azureml.core.compute_target import ComputeTargetException

ws = Workspace.from_config()
print(ws.name, ws.resource_group, ws.location, ws.subscription_id, sep="\t")

try:
    cluster = ComputeTarget(workspace=ws, name="cpu-cluster")
except ComputeTargetException:
    config = AmlCompute.provisioning_configuration(vm_size="STANDARD_D2_V2", max_nodes=2,
                                                   idle_seconds_before_scaledown=300)
    cluster = ComputeTarget.create(ws, "cpu-cluster", config)
    cluster.wait_for_completion(show_output=True)

environment = Environment.from_conda_specification(name="birds", file_path="environment.yml")
source = ScriptRunConfig(source_directory="src",
                         script="train.py",
                         arguments=["--num_epochs", 20, "--output_dir", "outputs"],
                         compute_target=cluster,
                         environment=environment)

run = Experiment(ws, "birds").submit(source, tags={"example": "azureml-birds"})
run.wait_for_completion(show_output=True)

metrics = run.get_metrics()
print("learning rate", metrics["lr"], "best accuracy", metrics["best_val_acc"][-1])
print(run.get_file_names())

model = run.register_model(model_name="birds", model_path="outputs/model.pt",
                           tags={"accuracy": f"{metrics['best_val_acc'][-1]:.3f}"})
print(model.name, model.id, model.version, sep="\t")
print(Model(ws, "birds").download(target_dir="model", exist_ok=True))
