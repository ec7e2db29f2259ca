"""The first version of an endpoint of several, and how they share the traffic."""

from __future__ import annotations

from typing import Any, Dict, Optional

from azureml.core.webservice._aks_configuration import AksServiceDeploymentConfiguration
from azureml.core.webservice._checks import check_name, check_whole, given, texts
from azureml.exceptions import WebserviceException

__all__ = ["CONTROL", "TREATMENT", "AksEndpointDeploymentConfiguration", "texts_of", "traffic_of"]

CONTROL = "Control"
TREATMENT = "Treatment"


class AksEndpointDeploymentConfiguration(AksServiceDeploymentConfiguration):
    """An endpoint with its first version, which is the default."""

    def __init__(
        self,
        version_name: Optional[str] = None,
        traffic_percentile: Optional[int] = None,
        is_default: Optional[bool] = None,
        is_control_version_type: Optional[bool] = None,
        **settings: Any,
    ) -> None:
        self.version_name = version_name
        self.traffic_percentile = traffic_percentile
        self.is_default = is_default
        self.is_control_version_type = is_control_version_type
        super().__init__(**settings)

    def validate_configuration(self) -> None:
        super().validate_configuration()
        if self.version_name is not None:
            check_name(self.version_name, "a version")
        check_whole(self.traffic_percentile, "traffic_percentile", least=0, most=100)

    def _before_deploy(self, workspace: Any, body: Dict[str, Any]) -> None:
        name = self.version_name or body["name"]
        body["deployments"][0]["name"] = name
        body["default"] = name
        percent = 100 if self.traffic_percentile is None else self.traffic_percentile
        kind = CONTROL if self.is_control_version_type else TREATMENT
        body["settings"]["versions"] = {name: {"traffic_percentile": percent, "type": kind}}


def traffic_of(known: Dict[str, Dict[str, Any]], default: str) -> Dict[str, int]:
    """What each version gets; the default gets what is left besides its own."""
    shares = {name: int(said["traffic_percentile"]) for name, said in known.items()}
    others = sum(percent for name, percent in shares.items() if name != default)
    if others > 100:
        raise WebserviceException(
            f"The versions have {others} percent of the traffic between them, without the default. "
            "At most 100 can be given away."
        )
    shares[default] = 100 - others
    return {name: percent for name, percent in shares.items() if percent or name == default}


def texts_of(configuration: AksServiceDeploymentConfiguration) -> Dict[str, Any]:
    found = given({"description": configuration.description})
    if configuration.tags is not None:
        found["tags"] = texts(configuration.tags, "tags")
    if configuration.properties is not None:
        found["properties"] = texts(configuration.properties, "properties")
    return found
