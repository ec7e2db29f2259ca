"""As the article on distributed PyTorch has it: two nodes, two processes on each. python3 submit.py"""
from azureml.core import Environment, Experiment, ScriptRunConfig, Workspace
from azureml.core.runconfig import PyTorchConfiguration

ws = Workspace.from_config()
environment = Environment("this-machine")
environment.python.user_managed_dependencies = True  # PyTorch as the nodes have it

src = ScriptRunConfig(source_directory="src",
                      script="train.py",
                      arguments=["--epochs", 5],
                      compute_target="local",
                      environment=environment,
                      distributed_job_config=PyTorchConfiguration(process_count=4, node_count=2))

run = Experiment(ws, "ddp").submit(src)
run.wait_for_completion(show_output=True)
print(run.get_metrics()["loss"])
for rank in run.get_ranks():
    print(rank["rank"], rank["node"], rank["log"])
