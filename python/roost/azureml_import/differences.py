"""SDK v1 beside Roost, class by class: same, different (how), absent (what instead).

The report takes its notes from here, and docs/azureml.md its tables. A row for a class speaks for
making one, and if it is absent for all its members. A test holds the rows to what the facade has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple

from .found import ABSENT, DIFFERENT, SAME


@dataclass(frozen=True)
class Row:
    """`name` is a class, `Class.member`, or a function."""

    name: str
    verdict: str
    note: str = ""
    everywhere: bool = False  # a class whose every member shares the difference


@dataclass(frozen=True)
class ArgumentRow:
    """A parameter whose value decides; `harmless` values make no difference."""

    call: str
    parameter: str
    harmless: Tuple[Any, ...]
    condition: str
    verdict: str
    note: str

    @property
    def name(self) -> str:
        return f"{self.call}({self.condition})"


@dataclass(frozen=True)
class Section:
    title: str
    modules: Tuple[str, ...]
    rows: Tuple[Row, ...]
    arguments: Tuple[ArgumentRow, ...] = ()


@dataclass(frozen=True)
class AbsentPart:
    """A package that Roost does not have, with the classes people know it by."""

    module: str
    what: str
    note: str
    classes: Tuple[str, ...] = ()


def _same(*names: str) -> Tuple[Row, ...]:
    return tuple(Row(name, SAME) for name in names)


_BUILT = (
    "Built once and cached: a virtual environment, or an image for a base image of your own or a "
    "Dockerfile; Azure's own base images change nothing. Versions that cannot be had are moved to "
    "the nearest, and the run says so."
)
_SECRETS = "Sealed on the server; what it lacks is looked for in the environment, as DB_PASSWORD."
_ON_SERVER = "The files lie on the Roost server, not in Azure storage."
_NOT_MOUNTED = "The files are laid out on the node before the script starts, not mounted."
_OUTPUTS = "Write the files to ./outputs, which is kept, and fetch them with run.download_files()."
_NO_STORE = "Files lie on the Roost server: Datastore.register_azure_blob_container() makes a name."
_NO_SPARK = "There is no Spark."
_NO_LOGIN = "Accepted and not used: the Roost token decides (`roost token create`, ROOST_TOKEN)."
_CLOUD_VM = "Azure's machines. Use AmlCompute or compute_target='local', on machines you own."
_TABULAR = "Pass the files with Dataset.File and read them with pandas in the script."
_EXPONENTS = "Warns where the bounds look like values and not like logarithms."
_OTHER_NAMES = "Where it gives None it warns with the names that children did log."
_PLAIN_RUN = "Of a sweep only, also where it was found again as Run(experiment, id)."
_OWN_REPLICAS = (
    "Roost's own replicas serve it, as processes on the server's machine or a compute of yours."
)
_NO_IMAGE = "A stored definition; its environment is built when it is made, and pushed nowhere."

_DOCKER = (
    "Started without Docker: memory, CPUs and variables of arguments count everywhere, shm_size "
    "for runs in an image; the run's notices name what has no effect."
)

SECTIONS: Tuple[Section, ...] = (
    Section(
        "Workspace",
        ("azureml.core", "azureml.core.workspace"),
        (
            Row("Workspace", SAME, "config.json is searched as before; no Azure login is made."),
            Row(
                "Workspace.create",
                DIFFERENT,
                "Makes a workspace on the Roost server at once; subscription, resource group, "
                "location and SKU are kept as text.",
            ),
            *_same(
                "Workspace.from_config",
                "Workspace.get",
                "Workspace.get_run",
                "Workspace.list",
                "Workspace.write_config",
                "Workspace.compute_targets",
                "Workspace.datastores",
                "Workspace.environments",
                "Workspace.experiments",
                "Workspace.models",
                "Workspace.webservices",
                "Keyvault.set_secret",
                "Keyvault.set_secrets",
                "Keyvault.list_secrets",
                "Keyvault.delete_secret",
                "Keyvault.delete_secrets",
            ),
            Row("Workspace.get_details", DIFFERENT, "No keys of Azure's storage, vault, registry."),
            Row("Workspace.get_default_datastore", DIFFERENT, _ON_SERVER),
            Row("Workspace.set_default_datastore", DIFFERENT, "The default one always stays it."),
            Row("Workspace.get_default_keyvault", DIFFERENT, _SECRETS),
            Row("Keyvault", DIFFERENT, _SECRETS),
            Row("Workspace.images", DIFFERENT, _NO_IMAGE),
            Row("Workspace.delete", ABSENT, "A workspace stays. Delete or archive its experiments instead."),
            Row(
                "Workspace.get_mlflow_tracking_uri",
                DIFFERENT,
                "A plain http address. The token is put into MLFLOW_TRACKING_TOKEN.",
            ),
        ),
    ),
    Section(
        "Authentication",
        ("azureml.core.authentication",),
        (
            Row("InteractiveLoginAuthentication", DIFFERENT, _NO_LOGIN),
            Row("ServicePrincipalAuthentication", DIFFERENT, _NO_LOGIN),
            Row("AzureCliAuthentication", DIFFERENT, _NO_LOGIN),
            Row("MsiAuthentication", DIFFERENT, _NO_LOGIN),
        ),
    ),
    Section(
        "Experiment and Run",
        ("azureml.core", "azureml.core.experiment", "azureml.core.run"),
        (
            *_same("Experiment", "Experiment.submit", "Experiment.start_logging"),
            *_same("Experiment.get_runs"),
            Row("Run", SAME, "Log lines are pushed as they are written instead of polled."),
            *_same(
                "Run.get_context",
                "Run.log",
                "Run.log_list",
                "Run.log_row",
                "Run.log_table",
                "Run.log_image",
                "Run.get_metrics",
                "Run.wait_for_completion",
                "Run.get_status",
                "Run.get_details",
                "Run.get_file_names",
                "Run.upload_file",
                "Run.upload_folder",
                "Run.download_file",
                "Run.download_files",
                "Run.register_model",
                "Run.tag",
                "Run.add_properties",
                "Run.child_run",
                "Run.submit_child",
                "Run.get_children",
                "Run.cancel",
                "Run.complete",
                "Run.fail",
                "Run.restore_snapshot",
                "Run.get_environment",
            ),
            Row("Run.get_portal_url", DIFFERENT, "Its page in Roost's studio, not in Azure's."),
            Row("Run.get_secret", DIFFERENT, _SECRETS),
            Row("Run.get_secrets", DIFFERENT, _SECRETS),
            *_same("_OfflineRun"),
            Row("Run.get_best_run_by_primary_metric", SAME, _PLAIN_RUN),
            Row("Run.get_children_sorted_by_primary_metric", SAME, _PLAIN_RUN),
            Row("Run.get_hyperparameters", SAME, _PLAIN_RUN),
        ),
    ),
    Section(
        "What is submitted",
        ("azureml.core", "azureml.core.script_run_config", "azureml.core.runconfig"),
        (
            *_same("ScriptRunConfig", "RunConfiguration"),
            Row("DockerConfiguration", DIFFERENT, _DOCKER),
            *_same("MpiConfiguration", "PyTorchConfiguration", "TensorflowConfiguration"),
            Row("ParallelTaskConfiguration", ABSENT, "Submit one run per task."),
        ),
        (
            ArgumentRow(
                "ScriptRunConfig",
                "resume_from",
                (None,),
                "resume_from=",
                ABSENT,
                "Fetch the outputs of the earlier run in the script, with Run.download_files().",
            ),
        ),
    ),
    Section(
        "Environment",
        ("azureml.core", "azureml.core.environment", "azureml.core.conda_dependencies"),
        (
            Row("Environment", DIFFERENT, _BUILT),
            Row(
                "Environment.get",
                DIFFERENT,
                "Curated names resolve in any case; an old one may stand for a newer, and a notice "
                "says so. " + _BUILT,
            ),
            Row("Environment.build", DIFFERENT, "On the server; an image only if the definition has one."),
            Row("Environment.build_local", DIFFERENT, "The same as build()."),
            Row(
                "Environment.get_image_details",
                DIFFERENT,
                "Tells the interpreter and the exact versions of the packages; an image is in no registry.",
            ),
            Row(
                "Environment.from_docker_build_context",
                ABSENT,
                "Use Environment.from_dockerfile().",
            ),
            *_same("Environment.register", "Environment.clone", "Environment.list"),
            *_same("Environment.save_to_directory", "Environment.load_from_directory"),
            *_same("Environment.environment_variables"),
            Row("DockerSection", DIFFERENT, _BUILT, everywhere=True),
            Row("PythonSection", DIFFERENT, _BUILT, everywhere=True),
            Row(
                "PythonSection.interpreter_path",
                SAME,
                "Counts with user_managed_dependencies, as before.",
            ),
            *_same("PythonSection.user_managed_dependencies"),
            Row("SparkSection", DIFFERENT, "Recorded; there is no Spark.", everywhere=True),
            *_same("CondaDependencies", "ContainerRegistry"),
        ),
    ),
    Section(
        "Compute",
        ("azureml.core", "azureml.core.compute", "azureml.core.compute_target"),
        (
            *_same("ComputeTarget"),
            Row(
                "ComputeTarget.attach",
                DIFFERENT,
                "Adds a Slurm cluster (SlurmCompute.attach_configuration), or a target for "
                "services (AksCompute.attach_configuration), which is a new one here.",
            ),
            Row("ComputeTarget.detach", ABSENT, "Use delete(), which ends the nodes."),
            Row("AmlCompute", SAME, "An elastic cluster on your own machines."),
            Row(
                "AmlCompute.provisioning_configuration",
                DIFFERENT,
                "The VM size says how many cores and GPUs and how much memory a node has; "
                "networks, users and identities change nothing.",
            ),
            Row(
                "AmlCompute.add_identity",
                DIFFERENT,
                "There are no identities: nodes run as the server's user, and a line says so.",
            ),
            Row(
                "AmlCompute.remove_identity",
                DIFFERENT,
                "There are no identities: nodes run as the server's user, and a line says so.",
            ),
            Row("BatchAiCompute", DIFFERENT, "The same as AmlCompute."),
            Row("ComputeInstance", DIFFERENT, "A cluster of one node; runs, no notebooks."),
            Row("DsvmCompute", DIFFERENT, "A cluster of one node."),
            *_same("ComputeTargetException"),
            Row(
                "AksCompute",
                DIFFERENT,
                "A compute on your own machines for the replicas of services, ten for each agent; "
                "there is no Kubernetes.",
            ),
            Row("AksCompute.provisioning_configuration", DIFFERENT, "Networks change nothing."),
            Row(
                "AksCompute.attach_configuration",
                DIFFERENT,
                "Makes a target here; a cluster of Azure's cannot be reached.",
            ),
            Row("AksCompute.get_credentials", ABSENT, "There is no Kubernetes below it."),
            Row("RemoteCompute", ABSENT, _CLOUD_VM),
            Row("BatchCompute", ABSENT, _CLOUD_VM),
            Row("DatabricksCompute", ABSENT, _CLOUD_VM),
            Row("DataFactoryCompute", ABSENT, _CLOUD_VM),
            Row("AdlaCompute", ABSENT, _CLOUD_VM),
            Row("HDInsightCompute", ABSENT, _CLOUD_VM),
            Row("KubernetesCompute", ABSENT, _CLOUD_VM),
            Row("SynapseCompute", ABSENT, _CLOUD_VM),
        ),
    ),
    Section(
        "Model",
        ("azureml.core", "azureml.core.model"),
        (
            Row("Model", SAME, "Registering the output of a run copies nothing."),
            *_same(
                "Model.register",
                "Model.list",
                "Model.download",
                "Model.delete",
                "Model.get_model_path",
            ),
            Row("Model.deploy", DIFFERENT, _OWN_REPLICAS),
            Row(
                "Model.package",
                DIFFERENT,
                "A folder with a Dockerfile, or an image in this machine's store if it has "
                "buildah; the program in it is roost.",
            ),
            Row("ModelPackage", SAME),
            Row(
                "Model.profile",
                DIFFERENT,
                "Measured on your machine while wait_for_completion() waits. input_dataset is a "
                "file dataset whose lines are requests.",
            ),
            Row("ModelProfile", SAME, "Kept in the process that measured."),
            Row(
                "InferenceConfig",
                SAME,
                "Of the older form conda_file and base_image count; extra_docker_file_steps needs "
                "a base_image.",
            ),
        ),
        (
            ArgumentRow(
                "InferenceConfig",
                "runtime",
                (None, "python", "python-slim"),
                "runtime='spark-py'",
                ABSENT,
                _NO_SPARK,
            ),
        ),
    ),
    Section(
        "Web services",
        (
            "azureml.core",
            "azureml.core.webservice",
            "azureml.core.image",
            "azureml.contrib.services.aml_request",
            "azureml.contrib.services.aml_response",
            "azureml.monitoring",
        ),
        (
            Row("Webservice", DIFFERENT, _OWN_REPLICAS),
            *_same(
                "Webservice.list",
                "Webservice.wait_for_deployment",
                "Webservice.run",
                "Webservice.get_logs",
                "Webservice.get_keys",
                "Webservice.regen_key",
                "Webservice.get_token",
                "Webservice.update",
                "Webservice.delete",
                "Webservice.state",
                "Webservice.scoring_uri",
                "Webservice.swagger_uri",
                "Webservice.deploy",
                "Webservice.deploy_from_model",
                "Webservice.deploy_from_image",
            ),
            Row("LocalWebservice", DIFFERENT, "Served by Roost on a port of its own, no Docker."),
            *_same("LocalWebservice.reload", "LocalWebservice.deploy_to_cloud"),
            Row("AciWebservice", DIFFERENT, _OWN_REPLICAS),
            Row(
                "AciWebservice.deploy_configuration",
                DIFFERENT,
                "Keys, tags and texts count. Cores, memory and region are kept as given; TLS is "
                "the server's, networks and vaults change nothing.",
            ),
            Row("AksWebservice", DIFFERENT, _OWN_REPLICAS),
            Row(
                "AksWebservice.deploy_configuration",
                DIFFERENT,
                "Replicas, timeouts, queue, keys and tokens count. Cores, memory, probes and "
                "namespaces are kept as given.",
            ),
            Row("AksEndpoint", DIFFERENT, _OWN_REPLICAS),
            *_same(
                "AksEndpoint.create_version",
                "AksEndpoint.update_version",
                "AksEndpoint.delete_version",
            ),
            Row("ModelDataCollector", DIFFERENT, "Writes CSV files on the machine that serves."),
            Row("Image", DIFFERENT, _NO_IMAGE),
            Row("ContainerImage", DIFFERENT, _NO_IMAGE),
            Row(
                "ContainerImage.run",
                ABSENT,
                "Deploy it with LocalWebservice.deploy_configuration().",
            ),
        ),
    ),
    Section(
        "Data",
        ("azureml.core", "azureml.data"),
        (
            Row("Datastore", DIFFERENT, _ON_SERVER),
            Row(
                "Datastore.register_azure_blob_container",
                DIFFERENT,
                "A name on the Roost server; nothing is read from the account, no key is kept.",
            ),
            Row(
                "Datastore.register_azure_file_share",
                DIFFERENT,
                "A name on the Roost server; nothing is read from the account, no key is kept.",
            ),
            *_same("Datastore.upload", "Datastore.upload_files", "Datastore.download"),
            Row("Datastore.register_azure_data_lake", ABSENT, _NO_STORE),
            Row("Datastore.register_azure_data_lake_gen2", ABSENT, _NO_STORE),
            Row("Datastore.register_azure_sql_database", ABSENT, _NO_STORE),
            Row("Datastore.register_azure_postgre_sql", ABSENT, _NO_STORE),
            Row("Datastore.register_azure_my_sql", ABSENT, _NO_STORE),
            Row("Datastore.register_dbfs", ABSENT, _NO_STORE),
            Row("Datastore.register_hdfs", ABSENT, _NO_STORE),
            *_same("DataReference"),
            Row("DataReference.as_mount", DIFFERENT, _NOT_MOUNTED),
            Row("DataReference.as_upload", ABSENT, _OUTPUTS),
            *_same("Dataset", "Dataset.File", "Dataset.get_by_name", "Dataset.get_by_id"),
            *_same("FileDataset", "FileDataset.register", "FileDataset.download"),
            Row("FileDataset.as_mount", DIFFERENT, _NOT_MOUNTED),
            Row("FileDataset.mount", DIFFERENT, "The files are copied to the mount point."),
            Row("FileDataset.as_hdfs", ABSENT, "Use as_download()."),
            Row("FileDataset.as_cache", ABSENT, "Use as_download(); nodes keep the files anyway."),
            *_same("DatasetConsumptionConfig"),
            Row("DatasetConsumptionConfig.as_mount", DIFFERENT, _NOT_MOUNTED),
            Row("OutputFileDatasetConfig", ABSENT, _OUTPUTS),
            Row("Dataset.Tabular", ABSENT, _TABULAR),
            Row("Dataset.to_pandas_dataframe", ABSENT, _TABULAR),
            Row("Dataset.auto_read_files", ABSENT, _TABULAR),
            Row("Dataset.drop_columns", ABSENT, _TABULAR),
            Row("Dataset.keep_columns", ABSENT, _TABULAR),
            Row("Dataset.with_timestamp_columns", ABSENT, _TABULAR),
            Row("TabularDataset", ABSENT, _TABULAR),
            Row("TabularDatasetFactory", ABSENT, _TABULAR),
            Row("DataType", ABSENT, _TABULAR),
            Row("OutputTabularDatasetConfig", ABSENT, _TABULAR),
            Row("HDFSOutputDatasetConfig", ABSENT, _NO_SPARK),
        ),
    ),
    Section(
        "Estimators (deprecated in SDK v1)",
        ("azureml.train.dnn", "azureml.train.estimator", "azureml.train.sklearn"),
        (
            Row("Estimator", DIFFERENT, "Made into a ScriptRunConfig. " + _BUILT),
            Row("PyTorch", DIFFERENT, "Made into a ScriptRunConfig. " + _BUILT),
            Row("TensorFlow", DIFFERENT, "Made into a ScriptRunConfig. " + _BUILT),
            Row("SKLearn", DIFFERENT, "Made into a ScriptRunConfig. " + _BUILT),
        ),
    ),
    Section(
        "Sweeps",
        (
            "azureml.train.hyperdrive",
            "azureml.train.hyperdrive.runconfig",
            "azureml.train.hyperdrive.sampling",
            "azureml.train.hyperdrive.parameter_expressions",
            "azureml.train.hyperdrive.policy",
            "azureml.train.hyperdrive.run",
        ),
        (
            Row(
                "HyperDriveConfig",
                SAME,
                "max_total_runs may be above 1000; max_concurrent_runs may not be above it.",
            ),
            *_same("HyperDriveRunConfig", "PrimaryMetricGoal"),
            Row(
                "RandomParameterSampling",
                SAME,
                "properties takes seed, rule ('random' or 'sobol') and logbase. In a space of "
                "choices no configuration comes twice.",
            ),
            *_same("HyperParameterSampling", "GridParameterSampling"),
            Row(
                "BayesianParameterSampling",
                SAME,
                "By a Gaussian process. A policy is allowed with it, which Azure ML refuses.",
            ),
            Row(
                "BanditPolicy",
                SAME,
                "Also defined where Azure's text is silent: minimising, and values below 0.",
            ),
            *_same("EarlyTerminationPolicy", "MedianStoppingPolicy", "TruncationSelectionPolicy"),
            *_same("NoTerminationPolicy", "choice", "randint", "uniform", "quniform"),
            Row("loguniform", SAME, _EXPONENTS),
            Row("qloguniform", SAME, _EXPONENTS),
            *_same("normal", "qnormal", "lognormal", "qlognormal"),
            Row(
                "HyperDriveRun",
                SAME,
                "Run.get() and Experiment.get_runs() give it for sweeps. It is Failed if every "
                "child failed, and names the first cause.",
            ),
            Row("HyperDriveRun.get_best_run_by_primary_metric", SAME, _OTHER_NAMES),
            *_same(
                "HyperDriveRun.get_children_sorted_by_primary_metric",
                "HyperDriveRun.get_hyperparameters",
                "HyperDriveRun.get_metrics",
                "HyperDriveRun.wait_for_completion",
                "HyperDriveRun.cancel",
            ),
            Row(
                "HyperDriveRun.get_diagnostics",
                DIFFERENT,
                "Writes the logs as <run id>-diagnostics.zip into the current folder.",
            ),
            Row(
                "HyperDriveRun.get_details",
                DIFFERENT,
                "Without best_data_container_id and user_agent; of telemetryValues it has those of "
                "the sweep.",
            ),
            Row("HyperDriveRun.fail", ABSENT, "As in Azure ML. Use cancel()."),
            Row("HyperDriveRun.complete", ABSENT, "A sweep ends by its children. Use cancel()."),
        ),
        (
            ArgumentRow(
                "HyperDriveConfig",
                "pipeline",
                (None,),
                "pipeline=",
                ABSENT,
                "Give the training as run_config=ScriptRunConfig(...).",
            ),
        ),
    ),
    Section(
        "Watching",
        ("azureml.widgets", "azureml.train.widgets", "azureml.tensorboard", "azureml.telemetry"),
        (
            Row(
                "RunDetails",
                DIFFERENT,
                "HTML that refreshes itself, text on a terminal; needs no notebook extension.",
            ),
            Row("Tensorboard", SAME, "Needs the program: `pip install tensorboard`."),
            Row("export_to_tensorboard", SAME),
            Row("set_diagnostics_collection", DIFFERENT, "Accepted; nothing is ever collected."),
        ),
    ),
)

ABSENT_PARTS: Tuple[AbsentPart, ...] = (
    AbsentPart(
        "azureml.pipeline",
        "pipelines of steps",
        "A later release brings it. Until then submit the steps one after the other as "
        "ScriptRunConfig runs.",
        (
            "Pipeline",
            "PipelineData",
            "PipelineParameter",
            "PipelineRun",
            "PublishedPipeline",
            "PipelineEndpoint",
            "Schedule",
            "StepRun",
            "PythonScriptStep",
            "ParallelRunStep",
            "ParallelRunConfig",
            "EstimatorStep",
            "TrainingOutput",
            "ScheduleRecurrence",
            "PortDataReference",
            "CommandStep",
            "HyperDriveStep",
            "HyperDriveStepRun",
            "DatabricksStep",
            "DataTransferStep",
            "ModuleStep",
        ),
    ),
    AbsentPart(
        "azureml.train.automl",
        "automatic choice of models",
        "Not planned. Train the model in a script.",
        ("AutoMLConfig", "AutoMLRun", "AutoMLStep"),
    ),
    AbsentPart("azureml.automl", "its inner parts", "Not planned. Train the model in a script."),
    AbsentPart(
        "azureml.interpret",
        "explanations of models",
        "Not planned. Call interpret-community in the script.",
        ("ExplanationClient",),
    ),
    AbsentPart(
        "azureml.explain",
        "explanations of models, older",
        "Not planned. Call interpret-community in the script.",
    ),
    AbsentPart("azureml.dataprep", "preparation of data", "Not planned. Use pandas in the script."),
    AbsentPart(
        "azureml.opendatasets",
        "public data sets kept by Azure",
        "Not planned. Upload the files with Dataset.File.upload_directory().",
    ),
    AbsentPart("azureml.datadrift", "watching data for drift", "Not planned."),
    AbsentPart("azureml.contrib", "previews, but for azureml.contrib.services", "Not planned."),
)

SDK_V2 = "This is SDK v2, another API. Roost has v1 (azureml.core); use ScriptRunConfig and submit."
AZ_ML = "Azure's command line does not reach Roost. Use `roost` (roost submit, runs, model ...)."
PIP_INSTALL = (
    "Leave this out: it puts Microsoft's package in the place of Roost's. `pip install ./python` "
    "from Roost's folder is enough."
)


def rows() -> Iterator[Row]:
    for section in SECTIONS:
        yield from section.rows


_ROWS: Dict[str, Row] = {row.name: row for row in rows()}
_PARTS: Dict[str, AbsentPart] = {name: part for part in ABSENT_PARTS for name in part.classes}
_ARGUMENTS: Dict[str, List[ArgumentRow]] = {}
for _section in SECTIONS:
    for _argument in _section.arguments:
        _ARGUMENTS.setdefault(_argument.call, []).append(_argument)


def row_of(owner: str, member: str = "") -> Optional[Row]:
    """The row of exactly this class or member."""
    return _ROWS.get(f"{owner}.{member}" if member else owner)


def argument_rows(call: str) -> List[ArgumentRow]:
    return _ARGUMENTS.get(call, [])


def absent_part(name: str) -> Optional[AbsentPart]:
    """By class, or by module and the modules above it."""
    if name in _PARTS:
        return _PARTS[name]
    for part in ABSENT_PARTS:
        if name == part.module or name.startswith(part.module + "."):
            return part
    return None
