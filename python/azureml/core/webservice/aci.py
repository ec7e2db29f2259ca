"""Services of the kind that Azure Container Instances had: one replica, open unless told."""

from __future__ import annotations

from typing import Any, Dict, Optional

from azureml.core.webservice._checks import check_positive, refuse_options
from azureml.core.webservice._configuration import WebserviceDeploymentConfiguration
from azureml.core.webservice._requirements import ContainerResourceRequirements
from azureml.core.webservice.webservice import Webservice

__all__ = ["AciServiceDeploymentConfiguration", "AciWebservice"]

DEFAULT_CPU = 0.1
DEFAULT_MEMORY_GB = 0.5


class AciServiceDeploymentConfiguration(WebserviceDeploymentConfiguration):
    _kind = "aci"
    _settings_names = (
        "cpu_cores",
        "memory_gb",
        "location",
        "ssl_enabled",
        "ssl_cname",
        "dns_name_label",
        "enable_app_insights",
        "collect_model_data",
    )
    _ignored_names = (
        "ssl_enabled",
        "ssl_cert_pem_file",
        "ssl_key_pem_file",
        "dns_name_label",
        "cmk_vault_base_url",
        "vnet_name",
        "subnet_name",
    )

    def __init__(
        self,
        cpu_cores: Optional[float] = None,
        memory_gb: Optional[float] = None,
        tags: Optional[Dict[str, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
        description: Optional[str] = None,
        location: Optional[str] = None,
        auth_enabled: Optional[bool] = None,
        ssl_enabled: Optional[bool] = None,
        enable_app_insights: Optional[bool] = None,
        ssl_cert_pem_file: Optional[str] = None,
        ssl_key_pem_file: Optional[str] = None,
        ssl_cname: Optional[str] = None,
        dns_name_label: Optional[str] = None,
        primary_key: Optional[str] = None,
        secondary_key: Optional[str] = None,
        collect_model_data: Optional[bool] = None,
        cmk_vault_base_url: Optional[str] = None,
        cmk_key_name: Optional[str] = None,
        cmk_key_version: Optional[str] = None,
        vnet_name: Optional[str] = None,
        subnet_name: Optional[str] = None,
    ) -> None:
        super().__init__(description, tags, properties, primary_key, secondary_key, location)
        self.cpu_cores = cpu_cores
        self.memory_gb = memory_gb
        self.auth_enabled = auth_enabled
        self.ssl_enabled = ssl_enabled
        self.enable_app_insights = enable_app_insights
        self.ssl_cert_pem_file = ssl_cert_pem_file
        self.ssl_key_pem_file = ssl_key_pem_file
        self.ssl_cname = ssl_cname
        self.dns_name_label = dns_name_label
        self.collect_model_data = collect_model_data
        self.cmk_vault_base_url = cmk_vault_base_url
        self.cmk_key_name = cmk_key_name
        self.cmk_key_version = cmk_key_version
        self.vnet_name = vnet_name
        self.subnet_name = subnet_name
        self.validate_configuration()

    def validate_configuration(self) -> None:
        super().validate_configuration()
        check_positive(self.cpu_cores, "cpu_cores")
        check_positive(self.memory_gb, "memory_gb")

    def _auth(self) -> str:
        return "key" if self.auth_enabled else "none"


class AciWebservice(Webservice):
    """One replica, and no key unless auth_enabled."""

    _kinds = ("aci",)
    _compute_type = "ACI"

    @staticmethod
    def deploy_configuration(
        cpu_cores: Optional[float] = None,
        memory_gb: Optional[float] = None,
        tags: Optional[Dict[str, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
        description: Optional[str] = None,
        location: Optional[str] = None,
        auth_enabled: Optional[bool] = None,
        ssl_enabled: Optional[bool] = None,
        enable_app_insights: Optional[bool] = None,
        ssl_cert_pem_file: Optional[str] = None,
        ssl_key_pem_file: Optional[str] = None,
        ssl_cname: Optional[str] = None,
        dns_name_label: Optional[str] = None,
        primary_key: Optional[str] = None,
        secondary_key: Optional[str] = None,
        collect_model_data: Optional[bool] = None,
        cmk_vault_base_url: Optional[str] = None,
        cmk_key_name: Optional[str] = None,
        cmk_key_version: Optional[str] = None,
        vnet_name: Optional[str] = None,
        subnet_name: Optional[str] = None,
    ) -> AciServiceDeploymentConfiguration:
        """Cores, memory, regions and networks are kept as given and change nothing here."""
        return AciServiceDeploymentConfiguration(**locals())

    # What it was asked to have.

    @property
    def container_resource_requirements(self) -> ContainerResourceRequirements:
        settings = self._settings
        return ContainerResourceRequirements(
            settings.get("cpu_cores", DEFAULT_CPU), settings.get("memory_gb", DEFAULT_MEMORY_GB)
        )

    @property
    def location(self) -> str:
        return str(self._settings.get("location") or self.workspace.location)

    @property
    def enable_app_insights(self) -> bool:
        return bool(self._settings.get("enable_app_insights"))

    @property
    def ssl_enabled(self) -> bool:
        return str(self.scoring_uri).startswith("https:")

    @property
    def cname(self) -> Optional[str]:
        found: Optional[str] = self._settings.get("ssl_cname")
        return found

    @property
    def public_ip(self) -> Optional[str]:
        from urllib.parse import urlsplit

        return urlsplit(str(self.scoring_uri)).hostname

    @property
    def public_fqdn(self) -> Optional[str]:
        return self.public_ip

    # Changing it.

    def update(
        self,
        image: Any = None,
        tags: Optional[Dict[str, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
        description: Optional[str] = None,
        auth_enabled: Optional[bool] = None,
        ssl_enabled: Optional[bool] = None,
        ssl_cert_pem_file: Optional[str] = None,
        ssl_key_pem_file: Optional[str] = None,
        ssl_cname: Optional[str] = None,
        enable_app_insights: Optional[bool] = None,
        models: Any = None,
        inference_config: Any = None,
        **options: Any,
    ) -> None:
        """None leaves a thing as it is. Tags replace those there, properties are added."""
        refuse_options("AciWebservice.update", options)
        configuration = AciServiceDeploymentConfiguration(
            tags=tags,
            properties=properties,
            description=description,
            auth_enabled=auth_enabled,
            ssl_enabled=ssl_enabled,
            ssl_cert_pem_file=ssl_cert_pem_file,
            ssl_key_pem_file=ssl_key_pem_file,
            ssl_cname=ssl_cname,
            enable_app_insights=enable_app_insights,
        )
        auth = None if auth_enabled is None else configuration._auth()
        self._update(configuration, models, inference_config, image, auth=auth)


AciServiceDeploymentConfiguration._service = AciWebservice
