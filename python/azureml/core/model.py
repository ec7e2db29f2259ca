"""The model registry."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from .._errors import calling
from ..exceptions import (
    ModelNotFoundException,
    UserErrorException,
    WebserviceException,
)
from ._inference_config import InferenceConfig
from ._model_body import model_body, refuse_options, texts
from ._model_lookup import find_model, list_models
from ._model_package import ModelPackage
from ._model_paths import (
    MODEL_FOLDER,
    deployed_path,
    downloaded_path,
    local_files,
    only_entry,
)
from ._model_profile import ModelProfile
from ._model_serving import ModelServing

if TYPE_CHECKING:
    import datetime

    from ._config_file import PathLike
    from .run import Run
    from .workspace import Workspace

__all__ = ["InferenceConfig", "Model", "ModelPackage", "ModelProfile"]


class Model(ModelServing):
    """A version of a model: files, with where they came from.

    Model(workspace, name) is the newest version, Model(workspace, id="name:3") the third.
    """

    class Framework:
        """Names for model_framework=; any other string is taken too."""

        CUSTOM = "Custom"
        SCIKITLEARN = "ScikitLearn"
        PYTORCH = "PyTorch"
        TENSORFLOW = "TensorFlow"
        ONNX = "Onnx"
        TFKERAS = "TfKeras"
        MULTI = "Multi"

    def __init__(
        self,
        workspace: Workspace,
        name: Optional[str] = None,
        id: Optional[str] = None,
        tags: Any = None,
        properties: Any = None,
        version: Union[int, str, None] = None,
        run_id: Optional[str] = None,
        model_framework: Optional[str] = None,
        expand: bool = True,
        *,
        _facts: Optional[Dict[str, Any]] = None,
        **_: Any,
    ) -> None:
        self.workspace = workspace
        if _facts is None:
            _facts = find_model(
                workspace, name, id, tags, properties, version, run_id, model_framework
            )
        self._take(_facts)

    def _take(self, facts: Dict[str, Any]) -> None:
        self._facts = dict(facts)
        self.name = str(facts["name"])
        self.version = int(facts["version"])
        self.id = str(facts["id"])
        self.description: Optional[str] = facts.get("description") or None
        self.tags: Dict[str, Optional[str]] = dict(facts["tags"])
        self.properties: Dict[str, str] = dict(facts["properties"])
        self.model_framework: Optional[str] = facts.get("framework")
        self.model_framework_version: Optional[str] = facts.get("framework_version")
        self.run_id: Optional[str] = facts.get("run")
        self.experiment_name: Optional[str] = facts.get("experiment")
        self.snapshot_id: Optional[str] = facts.get("snapshot")
        self.created_by: Any = facts.get("created_by")
        self.sample_input_dataset = facts.get("sample_input")
        self.sample_output_dataset = facts.get("sample_output")
        self.resource_configuration = facts.get("resources")
        self.datasets: Dict[str, List[Any]] = {}
        for item in facts.get("datasets") or []:
            self.datasets.setdefault(item["scenario"], []).append(item)
        self.size = int(facts.get("size") or 0)
        self.url = f"aml://asset/{facts['content']}"
        self.mime_type = "application/x-roost-tree"
        self.unpack = False
        self.parent_id = None

    @property
    def created_time(self) -> datetime.datetime:
        import datetime

        text = str(self._facts["created_at"]).rstrip("Z").split(".")
        whole = datetime.datetime.strptime(text[0], "%Y-%m-%dT%H:%M:%S")
        micros = int((text[1] + "000000")[:6]) if len(text) > 1 else 0
        return whole.replace(microsecond=micros, tzinfo=datetime.timezone.utc)

    @property
    def run(self) -> Optional[Run]:
        """The run that made the model, or None."""
        if not self.run_id:
            return None
        from .run import Run

        return Run.get(self.workspace, self.run_id)

    # Making and finding.

    @staticmethod
    def register(
        workspace: Workspace,
        model_path: PathLike,
        model_name: str,
        tags: Optional[Dict[str, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
        description: Optional[str] = None,
        datasets: Any = None,
        model_framework: Optional[str] = None,
        model_framework_version: Optional[str] = None,
        child_paths: Optional[List[str]] = None,
        sample_input_dataset: Any = None,
        sample_output_dataset: Any = None,
        resource_configuration: Any = None,
        **kwargs: Any,
    ) -> Model:
        """Stores a local file or folder as the next version of `model_name`. Of a folder,
        `child_paths` chooses what to take."""
        from roost.transfer import upload_files

        refuse_options("Model.register", kwargs)
        body = model_body(
            model_name,
            tags=tags,
            properties=properties,
            description=description,
            framework=model_framework,
            framework_version=model_framework_version,
            datasets=datasets,
            sample_input=sample_input_dataset,
            sample_output=sample_output_dataset,
            resources=resource_configuration,
        )
        files = local_files(os.fspath(model_path), child_paths)
        print(f"Registering model {model_name}")
        with calling(WebserviceException):
            content = upload_files(workspace._client, files)
        return Model._register(workspace, {**body, "content": content})

    @staticmethod
    def list(
        workspace: Workspace,
        name: Optional[str] = None,
        tags: Any = None,
        properties: Any = None,
        run_id: Optional[str] = None,
        latest: bool = False,
        dataset_id: Optional[str] = None,
        expand: bool = True,
        page_count: int = 255,
        model_framework: Optional[str] = None,
    ) -> List[Model]:
        """The models that match everything given, newest first. `tags` and `properties` are lists
        of keys and of [key, value], or a dict."""
        found = list_models(workspace, name, tags, properties, run_id, latest, model_framework)
        return [Model(workspace, _facts=facts) for facts in found]

    @staticmethod
    def get_model_path(
        model_name: str, version: Optional[int] = None, _workspace: Optional[Workspace] = None
    ) -> str:
        """Where the model is on this machine. In a web service that is below AZUREML_MODEL_DIR.
        Otherwise it is downloaded, once, to azureml-models/<name>/<version>/."""
        if not model_name:
            raise WebserviceException("get_model_path takes the name of a model.")
        found = deployed_path(model_name, version) or downloaded_path(model_name, version)
        if found:
            return found
        workspace = _workspace or _workspace_here(model_name)
        model = Model(workspace, model_name, version=version)
        folder = os.path.join(MODEL_FOLDER, model.name, str(model.version))
        if not only_entry(folder):
            model.download(target_dir=folder, exist_ok=True)
        return only_entry(folder) or folder

    @staticmethod
    def _get(
        workspace: Workspace,
        name: Optional[str] = None,
        id: Optional[str] = None,
        version: Union[int, str, None] = None,
        **_: Any,
    ) -> Optional[Model]:
        try:
            return Model(workspace, name, id, version=version)
        except ModelNotFoundException:
            return None

    @staticmethod
    def _get_model_path_remote(
        model_name: str, version: Optional[int], workspace: Workspace
    ) -> str:
        return Model.get_model_path(model_name, version, workspace)

    # Using and changing.

    def download(
        self, target_dir: PathLike = ".", exist_ok: bool = False, exists_ok: Optional[bool] = None
    ) -> str:
        """Writes the files below `target_dir` and returns where: of a file its path, of a folder
        its folder. What is there already is an error unless `exist_ok`."""
        from roost.transfer import download_tree

        overwrite = exist_ok if exists_ok is None else exists_ok
        top = os.fspath(target_dir)
        heads = self._heads()
        there = [head for head in heads if os.path.lexists(os.path.join(top, head))]
        if there and not overwrite:
            raise WebserviceException(
                f"{os.path.join(os.path.abspath(top), there[0])} is there already. Pass "
                "exist_ok=True to write over it, or another target_dir."
            )
        with calling(WebserviceException):
            download_tree(self.workspace._client, self._facts["content"], top, overwrite=overwrite)
        return os.path.join(top, heads[0]) if len(heads) == 1 else top

    def update(
        self,
        tags: Optional[Dict[str, Any]] = None,
        description: Optional[str] = None,
        sample_input_dataset: Any = None,
        sample_output_dataset: Any = None,
        resource_configuration: Any = None,
    ) -> None:
        """Replaces the tags, and the description, by those given."""
        if not (sample_input_dataset is sample_output_dataset is resource_configuration is None):
            raise NotImplementedError(
                "Model.update: sample data and resources are kept as they were registered. "
                "Register the model again to change them."
            )
        body: Dict[str, Any] = {}
        if tags is not None:
            body["tags"] = texts(tags, "tags")
            body["remove_tags"] = sorted(set(self.tags) - set(tags))
        if description is not None:
            body["description"] = description
        self._change(body)

    def add_tags(self, tags: Dict[str, Any]) -> None:
        """Sets tags; those not named stay."""
        self._change({"tags": texts(tags, "tags")})

    def remove_tags(self, tags: List[str]) -> None:
        self._change({"remove_tags": [tags] if isinstance(tags, str) else [*tags]})

    def add_properties(self, properties: Dict[str, Any]) -> None:
        """Adds properties, which stay as they are: one that is there already is refused."""
        present = sorted(set(properties) & set(self.properties))
        if present:
            raise WebserviceException(
                f"model {self.id} has the properties {', '.join(map(repr, present))} already, and "
                "properties never change. Use add_tags for what may."
            )
        self._change({"properties": {key: str(properties[key]) for key in properties}})

    def update_tags_properties(
        self,
        add_tags: Optional[Dict[str, Any]] = None,
        remove_tags: Optional[List[str]] = None,
        add_properties: Optional[Dict[str, Any]] = None,
    ) -> None:
        if add_properties:
            self.add_properties(add_properties)
        self._change({"tags": texts(add_tags, "tags"), "remove_tags": [*(remove_tags or [])]})

    def add_dataset_references(self, datasets: Any) -> None:
        raise NotImplementedError(
            "Model.add_dataset_references: the data of a model is told when it is registered, "
            "with datasets=. Register it again."
        )

    def delete(self) -> None:
        """Removes this version. Other versions stay. Refused while a service uses it."""
        with calling(WebserviceException):
            self.workspace._client.delete(self._path())

    def refresh(self) -> None:
        """Reads this version from the server again."""
        self._take(find_model(self.workspace, None, self.id, None, None, None, None, None))

    def serialize(self) -> Dict[str, Any]:
        """The model as a dict."""
        return {
            "createdTime": self._facts["created_at"],
            "description": self.description,
            "experimentName": self.experiment_name,
            "framework": self.model_framework,
            "frameworkVersion": self.model_framework_version,
            "id": self.id,
            "name": self.name,
            "properties": self.properties,
            "runId": self.run_id,
            "tags": self.tags,
            "version": self.version,
        }

    # For the rest of this package.

    @staticmethod
    def _register(workspace: Workspace, body: Dict[str, Any]) -> Model:
        with calling(WebserviceException):
            return Model(workspace, _facts=workspace._client.post(workspace._path("models"), body))

    def _path(self) -> str:
        return self.workspace._path("models", self.name, "versions", str(self.version))

    def _change(self, body: Dict[str, Any]) -> None:
        with calling(WebserviceException):
            self._take(self.workspace._client.patch(self._path(), body))

    def _heads(self) -> List[str]:
        """The names at the top of the model's tree."""
        with calling(WebserviceException):
            tree = self.workspace._client.get(f"/api/v1/snapshots/{self._facts['content']}")
        return sorted({str(entry["path"]).split("/")[0] for entry in tree["entries"]})

    def __repr__(self) -> str:
        return (
            f"Model(workspace={self.workspace!r}, name={self.name}, id={self.id}, "
            f"version={self.version}, tags={self.tags}, properties={self.properties})"
        )


def _workspace_here(name: str) -> Workspace:
    """That of the run this is, else that of config.json."""
    from .workspace import Workspace

    if os.environ.get("ROOST_SPOOL"):
        from .run import Run

        return Run.get_context().experiment.workspace
    try:
        return Workspace.from_config()
    except UserErrorException as error:
        raise ModelNotFoundException(
            f"get_model_path does not know where to look for {name!r}: this is not a run, "
            "AZUREML_MODEL_DIR is not set, and there is no config.json. Pass _workspace=ws.",
            inner_exception=error,
        ) from None


def __getattr__(name: str) -> Any:
    if name == "Dataset":
        from .dataset import Dataset

        return Dataset
    from .._absent import absent_name

    return absent_name(__name__, name)
