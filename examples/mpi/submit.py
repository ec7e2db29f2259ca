"""Submits train_mpi.py to two nodes with two processes each: python3 submit.py"""
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

environment = Environment("mpi")
environment.python.user_managed_dependencies = True  # the machine's own Python, with its MPI and mpi4py

src = ScriptRunConfig(source_directory="src",
                      script="train_mpi.py",
                      arguments=["--steps", 50],
                      compute_target=cluster,
                      environment=environment,
                      distributed_job_config=MpiConfiguration(process_count_per_node=2, node_count=2))

run = Experiment(ws, "mpi").submit(src)
run.wait_for_completion(show_output=True)
print("loss", run.get_metrics()["loss"][-1])
