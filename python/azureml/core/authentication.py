"""Authentication, as code for Azure asks for it.

Every class here is accepted wherever Azure accepts it, and none logs in anywhere: a Roost server is
opened by a token of its own, that of ROOST_TOKEN or of the server of this machine.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from .._errors import calling
from ..exceptions import AuthenticationException, UserErrorException

__all__ = [
    "AbstractAuthentication",
    "ArmTokenAuthentication",
    "Audience",
    "AuthenticationException",
    "AzureCliAuthentication",
    "InteractiveLoginAuthentication",
    "MsiAuthentication",
    "ServicePrincipalAuthentication",
    "TokenAuthentication",
]


class Audience:
    """Names of services a token may be asked for; Roost has one token for all."""

    ARM = "ARM"
    AZUREML = "AzureML"


class AbstractAuthentication:
    """What all of them do: give Roost's own token."""

    def get_authentication_header(self) -> Dict[str, str]:
        """The header that a request to the server needs."""
        return {"Authorization": f"Bearer {self.get_token()}"}

    def get_token(self, *_: Any, **__: Any) -> str:
        """Roost's token; AuthenticationException when there is none."""
        from roost.discovery import find_server

        with calling(AuthenticationException):
            return find_server().token

    def _get_arm_token(self) -> str:
        return self.get_token()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class InteractiveLoginAuthentication(AbstractAuthentication):
    """Opens no browser: who can read the server's token, or was given one, is logged in."""

    def __init__(
        self,
        force: bool = False,
        tenant_id: Optional[str] = None,
        cloud: Optional[str] = None,
        **_: Any,
    ) -> None:
        self.tenant_id = tenant_id


class AzureCliAuthentication(AbstractAuthentication):
    """Does not call `az`: Roost's own token is used."""

    def __init__(self, cloud: Optional[str] = None) -> None:
        pass


class MsiAuthentication(AbstractAuthentication):
    """Asks no metadata service: Roost's own token is used."""

    def __init__(self, identity_config: Optional[Dict[str, str]] = None, **_: Any) -> None:
        pass


class ServicePrincipalAuthentication(AbstractAuthentication):
    """Keeps the tenant and the id, and forgets the password unread: Roost's own token is used."""

    def __init__(
        self,
        tenant_id: Optional[str] = None,
        service_principal_id: Optional[str] = None,
        service_principal_password: Optional[str] = None,
        cloud: str = "AzureCloud",
        _enable_caching: bool = True,
    ) -> None:
        self.tenant_id = tenant_id
        self.service_principal_id = service_principal_id


class TokenAuthentication(AbstractAuthentication):
    """Keeps the function that makes tokens for Azure, and uses Roost's own."""

    def __init__(
        self, get_token_for_audience: Callable[[Any], str], cloud: str = "AzureCloud"
    ) -> None:
        if not callable(get_token_for_audience):
            raise UserErrorException(
                "TokenAuthentication takes a function that gives the token for an audience, not "
                f"{get_token_for_audience!r}."
            )
        self._get_token_for_audience = get_token_for_audience


class ArmTokenAuthentication(AbstractAuthentication):
    """Forgets the token given, which is of Azure, and uses Roost's own."""

    def __init__(self, arm_access_token: str) -> None:
        pass

    def update_arm_token(self, new_arm_access_token: str) -> None:
        """Accepted; there is nothing to update."""
