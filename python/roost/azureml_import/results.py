"""What calls and attributes of SDK v1 give: the facade's annotations say it for what it has,
this table for the rest and where an annotation says too little."""

from __future__ import annotations

from typing import Dict, Optional

from . import installed
from .kinds import Class, Instance, Items, Kind

_TABLE = """
Workspace.from_config Workspace
Workspace.create Workspace
Workspace.get Workspace
Workspace.setup Workspace
Workspace.list {Workspace}
Workspace.get_default_datastore Datastore
Workspace.get_default_keyvault Keyvault
Workspace.get_default_compute_target ComputeTarget
Workspace.compute_targets {ComputeTarget}
Workspace.datastores {Datastore}
Workspace.datasets {Dataset}
Workspace.environments {Environment}
Workspace.experiments {Experiment}
Workspace.models {Model}
Workspace.webservices {Webservice}
Workspace.images {Image}
Experiment.submit Run
Experiment.start_logging Run
Experiment.get_runs [Run]
Experiment.list [Experiment]
Experiment.workspace Workspace
Run.get_context Run
Run.get Run
Run.list [Run]
Run.child_run Run
Run.submit_child Run
Run.create_children [Run]
Run.get_children [Run]
Run.parent Run
Run.experiment Experiment
Run.register_model Model
Run.get_environment Environment
Run.input_datasets {FileDataset}
Model.register Model
Model.list [Model]
Model.workspace Workspace
Model.run Run
Model.deploy Webservice
Model.package ModelPackage
Model.profile ModelProfile
ComputeTarget.create ComputeTarget
ComputeTarget.attach ComputeTarget
ComputeTarget.list [ComputeTarget]
ComputeTarget.get_status AmlComputeStatus
ComputeTarget.status AmlComputeStatus
AmlCompute.get_status AmlComputeStatus
AmlCompute.status AmlComputeStatus
AmlCompute.create AmlCompute
AmlCompute.provisioning_configuration AmlComputeProvisioningConfiguration
Environment.get Environment
Environment.list {Environment}
Environment.from_conda_specification Environment
Environment.from_pip_requirements Environment
Environment.from_existing_conda_environment Environment
Environment.from_dockerfile Environment
Environment.from_docker_image Environment
Environment.load_from_directory Environment
Environment.clone Environment
Environment.register Environment
Environment.build ImageBuildDetails
Environment.build_local ImageBuildDetails
Environment.python PythonSection
Environment.docker DockerSection
Environment.spark SparkSection
PythonSection.conda_dependencies CondaDependencies
DockerSection.base_image_registry ContainerRegistry
CondaDependencies.create CondaDependencies
RunConfiguration.environment Environment
RunConfiguration.docker DockerConfiguration
RunConfiguration.load RunConfiguration
ScriptRunConfig.run_config RunConfiguration
Estimator.run_config RunConfiguration
PyTorch.run_config RunConfiguration
Datastore.get Datastore
Datastore.get_default Datastore
Datastore.register_azure_blob_container Datastore
Datastore.register_azure_file_share Datastore
Datastore.path DataReference
Datastore.as_mount DataReference
Datastore.as_download DataReference
Datastore.upload DataReference
Datastore.upload_files DataReference
DataReference.as_mount DataReference
DataReference.as_download DataReference
DataReference.path DataReference
Dataset.get_by_name Dataset
Dataset.get_by_id Dataset
Dataset.File class:Dataset.File
Dataset.Tabular class:Dataset.Tabular
Dataset.register Dataset
Dataset.as_named_input DatasetConsumptionConfig
Dataset.as_mount DatasetConsumptionConfig
Dataset.as_download DatasetConsumptionConfig
Dataset.File.from_files FileDataset
Dataset.File.upload_directory FileDataset
Dataset.Tabular.from_delimited_files TabularDataset
Dataset.Tabular.from_parquet_files TabularDataset
Dataset.Tabular.from_json_lines_files TabularDataset
Dataset.Tabular.from_sql_query TabularDataset
Dataset.Tabular.register_pandas_dataframe TabularDataset
TabularDatasetFactory.from_delimited_files TabularDataset
TabularDatasetFactory.from_parquet_files TabularDataset
TabularDatasetFactory.register_pandas_dataframe TabularDataset
FileDataset.register FileDataset
FileDataset.as_named_input DatasetConsumptionConfig
FileDataset.as_mount DatasetConsumptionConfig
FileDataset.as_download DatasetConsumptionConfig
DatasetConsumptionConfig.as_mount DatasetConsumptionConfig
DatasetConsumptionConfig.as_download DatasetConsumptionConfig
TabularDataset.register TabularDataset
TabularDataset.take TabularDataset
TabularDataset.skip TabularDataset
TabularDataset.drop_columns TabularDataset
TabularDataset.keep_columns TabularDataset
TabularDataset.as_named_input DatasetConsumptionConfig
OutputFileDatasetConfig.as_mount OutputFileDatasetConfig
OutputFileDatasetConfig.as_upload OutputFileDatasetConfig
OutputFileDatasetConfig.register_on_complete OutputFileDatasetConfig
HyperDriveRun.get_best_run_by_primary_metric Run
HyperDriveRun.get_children [Run]
AutoMLRun.get_children [Run]
PipelineRun.get_children [StepRun]
PipelineRun.find_step_run [StepRun]
Pipeline.submit PipelineRun
Pipeline.publish PublishedPipeline
Image.create Image
ContainerImage.create Image
ContainerImage.image_configuration ContainerImageConfig
Webservice.deploy Webservice
Webservice.deploy_from_model Webservice
Webservice.deploy_from_image Webservice
Webservice.list [Webservice]
Image.list [Image]
LocalWebservice.deploy_to_cloud Webservice
AksCompute.provisioning_configuration AksProvisioningConfiguration
"""

# What submit gives depends on what is handed in.
SUBMITTED = {
    "HyperDriveConfig": "HyperDriveRun",
    "HyperDriveRunConfig": "HyperDriveRun",
    "AutoMLConfig": "AutoMLRun",
    "Pipeline": "PipelineRun",
    "PublishedPipeline": "PipelineRun",
}

# One name stands for several classes: a member of any of them counts.
ALTERNATIVES = {
    "ComputeTarget": ("AmlCompute", "ComputeInstance", "AksCompute"),
    "Webservice": ("LocalWebservice", "AciWebservice", "AksWebservice", "AksEndpoint"),
    "Image": ("ContainerImage",),
    "Datastore": ("AzureBlobDatastore", "AzureFileDatastore", "AbstractDatastore"),
    "Dataset": ("FileDataset", "TabularDataset"),
    "Run": ("ScriptRun", "HyperDriveRun", "_OfflineRun"),
}

# Type by the variable's name alone, where nothing better is known.
CONVENTIONS = {
    "ws": "Workspace",
    "workspace": "Workspace",
    "run": "Run",
    "parent_run": "Run",
    "child_run": "Run",
    "best_run": "Run",
    "exp": "Experiment",
    "experiment": "Experiment",
    "compute_target": "ComputeTarget",
    "datastore": "Datastore",
    "def_blob_store": "Datastore",
    "run_config": "RunConfiguration",
    "aci_service": "Webservice",
    "aks_service": "Webservice",
}


# Names of types that hold several, and whether what they yield are keys.
CONTAINERS = {
    **dict.fromkeys(["List", "Iterator", "Iterable", "Sequence", "Generator", "Tuple"], False),
    **dict.fromkeys(["list", "tuple", "Set", "set", "AsyncIterator"], False),
    **dict.fromkeys(["Dict", "dict", "Mapping", "MutableMapping", "DefaultDict"], True),
}


def _parse(text: str) -> Dict[str, Kind]:
    table: Dict[str, Kind] = {}
    for line in text.strip().splitlines():
        name, result = line.split()
        if result.startswith("class:"):
            table[name] = Class(result[6:])
        elif result[0] in "[{":
            table[name] = Items(Instance(result[1:-1]), mapping=result[0] == "{")
        else:
            table[name] = Instance(result)
    return table


_RESULTS = _parse(_TABLE)


def result_of(owner: str, member: str) -> Optional[Kind]:
    """The kind that `owner.member`, or calling it, gives."""
    for name in (owner, *ALTERNATIVES.get(owner, ())):
        known = _RESULTS.get(f"{name}.{member}")
        if known is not None:
            return known
    return _from_annotation(installed.annotation(owner, member))


def _from_annotation(text: str) -> Optional[Kind]:
    """`Optional[Run]`, `Iterator["Run"]`, `Dict[str, Model]`: the last class of azureml in it."""
    words = [word.split(".")[-1] for word in text.replace('"', " ").replace("'", " ").split()]
    known = [word for word in words if installed.find_class(word) is not None]
    if not known:
        return None
    item = Instance(known[-1])
    outer = set(words) & CONTAINERS.keys()
    return Items(item, mapping=any(CONTAINERS[word] for word in outer)) if outer else item
