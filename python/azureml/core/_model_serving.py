"""What a model does besides being kept: it is deployed, packaged, measured and exported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, cast

if TYPE_CHECKING:
    from ._inference_config import InferenceConfig
    from ._model_package import ModelPackage
    from ._model_profile import ModelProfile
    from .model import Model
    from .webservice import Webservice
    from .workspace import Workspace


class ModelServing:
    """A part of Model."""

    name: str
    _facts: Dict[str, Any]

    @staticmethod
    def deploy(
        workspace: Workspace,
        name: str,
        models: Any,
        inference_config: Optional[InferenceConfig] = None,
        deployment_config: Any = None,
        deployment_target: Any = None,
        overwrite: bool = False,
        show_output: bool = False,
    ) -> Webservice:
        """Begins to serve models under a name; wait_for_deployment() waits until it answers.

        Without inference_config the one model is served as it is: ONNX, or scikit-learn. The class
        of what is returned follows deployment_config."""
        from .webservice._deploying import deploy_models

        made = deploy_models(
            workspace,
            name,
            models,
            inference_config,
            deployment_config,
            deployment_target,
            overwrite,
        )
        if show_output:
            made.wait_for_deployment(show_output=True)
        return made

    @staticmethod
    def package(
        workspace: Workspace,
        models: Any,
        inference_config: Optional[InferenceConfig] = None,
        generate_dockerfile: bool = False,
        image_name: Optional[str] = None,
        image_label: Optional[str] = None,
    ) -> ModelPackage:
        """A folder from which an image that serves the models can be built, or that image."""
        from ._model_package import package_models

        return package_models(
            workspace, models, inference_config, generate_dockerfile, image_name, image_label
        )

    @staticmethod
    def profile(
        workspace: Workspace,
        profile_name: str,
        models: Any,
        inference_config: Optional[InferenceConfig],
        input_dataset: Any = None,
        cpu: Optional[float] = None,
        memory_in_gb: Optional[float] = None,
        description: Optional[str] = None,
        input_data: Any = None,
    ) -> ModelProfile:
        """Serves the models for a while and measures how long each request takes."""
        from ._model_profile import profile_models

        requests = input_data if input_dataset is None else input_dataset
        return profile_models(
            workspace,
            profile_name,
            models,
            inference_config,
            requests,
            cpu,
            memory_in_gb,
            description,
        )

    def export_onnx(
        self,
        input_shape: Any,
        name: Optional[str] = None,
        model_function: Optional[str] = None,
        file: Optional[str] = None,
        script: Optional[str] = None,
        code: Optional[str] = None,
        opset: Optional[int] = None,
        tolerance: Optional[float] = None,
        fixed_shapes: bool = False,
        check: bool = True,
        environment: Any = None,
        compute_target: Any = None,
        wait: bool = True,
        show_output: bool = False,
    ) -> Any:
        """Roost's own: makes an ONNX model of this PyTorch model, compares the two and registers it
        as the next version, or as `name`. It is a run in the environment and with the code of the
        run that made the model. Gives the new model; the run if not `wait`.

        `input_shape` is (2, 3, 224, 224), or {"ids": "2x16:int64", "mask": (2, 16)}.
        `model_function` makes the network of a state dict: "net:make", "net.py:Net(classes=2)"."""
        from ._model_export import exported_model, submit_export

        options = {
            "register": name or self.name,
            "model_function": model_function,
            "file": file,
            "script": script,
            "opset": opset,
            "tolerance": tolerance,
            "fixed_shapes": fixed_shapes,
            "no_check": not check,
        }
        model = cast("Model", self)
        run = submit_export(model, input_shape, options, code, environment, compute_target)
        if not wait:
            return run
        run.wait_for_completion(show_output=show_output)
        return exported_model(model, run)

    @property
    def serves(self) -> List[Dict[str, str]]:
        """Roost's own: where it answers requests, as {workspace, endpoint, deployment}."""
        return [dict(item) for item in self._facts.get("serves") or []]

    @staticmethod
    def print_configuration(
        models: Any, inference_config: Any = None, deployment_config: Any = None, **_: Any
    ) -> None:
        """What Model.deploy() would be told."""
        for given in (models, inference_config, deployment_config):
            if given is not None:
                print(given if isinstance(given, (list, ModelServing)) else vars(given))
