"""Submits pytorch_horovod.py to two nodes, as the article does: python3 submit.py"""
from azureml.core import Environment, Experiment, ScriptRunConfig, Workspace
from azureml.core.compute import AmlCompute, ComputeTarget
from azureml.core.compute_target import ComputeTargetException
from azureml.core.runconfig import MpiConfiguration

ws = Workspace.from_config()

try:
    cluster = ComputeTarget(workspace=ws, name="mpi-cluster")
except ComputeTargetException:
    config = AmlCompute.provisioning_configuration(vm_size="STANDARD_D2_V2", max_nodes=2)
    cluster = ComputeTarget.create(ws, "mpi-cluster", config)
    cluster.wait_for_completion(show_output=True)

environment = Environment.from_conda_specification(name="horovod", file_path="environment.yml")
src = ScriptRunConfig(source_directory="src",
                      script="pytorch_horovod.py",
                      compute_target=cluster,
                      environment=environment,
                      distributed_job_config=MpiConfiguration(node_count=2))

run = Experiment(ws, "horovod").submit(src)
run.wait_for_completion(show_output=True)
print("loss", run.get_metrics()["loss"][-1])
