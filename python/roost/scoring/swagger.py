"""What a service says of itself: Swagger 2.0, OpenAPI 3.0 and 3.1.

The schemas of input and output come from the samples of @input_schema and @output_schema. A file
swagger.json, swagger2.json or swagger3.json of the user's is taken as it is.
"""

import json
import os
import sys
from typing import Any, Callable, Dict, Optional, Tuple

from .log import logger
from .script import is_schema_decorated

Document = Dict[str, Any]

_FILES = {
    "2": ("swagger.json", "swagger2.json"),
    "3": ("swagger3.json",),
    "3.1": ("swagger3.1.json",),
}
_UNKNOWN = {"type": "object", "example": {}}  # type: Dict[str, Any]
_BEARER = {
    "type": "apiKey",
    "name": "Authorization",
    "in": "header",
    "description": "For example: Bearer abc123",
}
_ERROR = {"type": "object", "properties": {"message": {"type": "string"}}}
_HEALTH = "Says whether the service is up."
_HEALTHY = "The service is up; the text is 'Healthy'."
_RUN = "Sends input to the model and gives its prediction."
_INPUT = "What the model is to predict from."
_OUTPUT = "The prediction."
_SPECIFICATION = "This specification."
_FAILED = "The service failed; the message says why."


def documents(run: Callable[..., Any], app_root: str) -> Dict[str, Dict[str, Any]]:
    """By version: the document, and whether it is the user's own. A version that the schemas cannot
    be told in is left out."""
    given, returned, versions = _schemas(run)
    title = os.environ.get("SERVICE_NAME") or "ML service"
    version = os.environ.get("SERVICE_VERSION") or "1.0"
    made = {
        "2": swagger_2(title, version, given, returned),
        "3": openapi_3(title, version, given, returned, "3.0.3"),
        "3.1": openapi_3(title, version, given, returned, "3.1.0"),
    }
    found: Dict[str, Dict[str, Any]] = {}
    for name, document in made.items():
        own = _of_user(app_root, name)
        if own is not None:
            found[name] = {"own": True, "document": own}
        elif versions is None or {name, name + ".0"} & versions:
            found[name] = {"own": False, "document": document}
    return found


def _of_user(app_root: str, version: str) -> Optional[Any]:
    for name in _FILES[version]:
        path = os.path.join(app_root, name)
        if not os.path.isfile(path):
            continue
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError) as error:
            logger.warning("%s is left out, because it cannot be read: %s", name, error)
    return None


def _schemas(run: Callable[..., Any]) -> Tuple[Any, Any, Any]:
    if not is_schema_decorated(run):
        return _UNKNOWN, _UNKNOWN, None
    util = sys.modules["inference_schema.schema_util"]
    versions = getattr(util, "get_supported_versions", None)
    supported = set(map(str, versions(run))) if versions else None
    return util.get_input_schema(run), util.get_output_schema(run), supported


def swagger_2(title: str, version: str, given: Any, returned: Any) -> Document:
    error = {"description": _FAILED, "schema": {"$ref": "#/definitions/ErrorResponse"}}
    text = {"type": "string"}

    def responses(description: str, schema: Any, **more: Any) -> Document:
        ok = {"description": description, "schema": schema, **more}
        return {"200": ok, "default": error}

    return {
        "swagger": "2.0",
        "info": _info(title, version),
        "schemes": ["https"],
        "consumes": ["application/json"],
        "produces": ["application/json"],
        "securityDefinitions": {"Bearer": _BEARER},
        "paths": {
            "/": {
                "get": {
                    "operationId": "ServiceHealthCheck",
                    "description": _HEALTH,
                    "responses": responses(
                        _HEALTHY, text, examples={"application/json": "Healthy"}
                    ),
                }
            },
            "/score": {
                "post": {
                    "operationId": "RunMLService",
                    "description": _RUN,
                    "security": [{"Bearer": []}],
                    "parameters": [
                        {
                            "name": "serviceInputPayload",
                            "in": "body",
                            "description": _INPUT,
                            "schema": {"$ref": "#/definitions/ServiceInput"},
                        }
                    ],
                    "responses": responses(_OUTPUT, {"$ref": "#/definitions/ServiceOutput"}),
                }
            },
            "/swagger.json": {
                "get": {
                    "operationId": "GetSwaggerSpec",
                    "description": _SPECIFICATION,
                    "parameters": [
                        {
                            "name": "version",
                            "in": "query",
                            "required": False,
                            "type": "integer",
                            "enum": [2, 3],
                        }
                    ],
                    "responses": responses(_SPECIFICATION, text),
                }
            },
        },
        "definitions": {"ServiceInput": given, "ServiceOutput": returned, "ErrorResponse": _ERROR},
    }


def openapi_3(title: str, version: str, given: Any, returned: Any, openapi: str) -> Document:
    def content(schema: Any, kind: str = "application/json") -> Document:
        return {kind: {"schema": schema}}

    def reference(name: str) -> Document:
        return {"$ref": f"#/components/schemas/{name}"}

    def responses(description: str, body: Any) -> Document:
        ok = {"description": description, "content": body}
        error = {"description": _FAILED, "content": content(reference("ErrorResponse"))}
        return {"200": ok, "default": error}

    return {
        "openapi": openapi,
        "info": _info(title, version),
        "security": [{"Bearer": []}],
        "paths": {
            "/": {
                "get": {
                    "operationId": "ServiceHealthCheck",
                    "description": _HEALTH,
                    "responses": responses(
                        _HEALTHY, content({"type": "string", "example": "Healthy"}, "text/plain")
                    ),
                }
            },
            "/score": {
                "post": {
                    "operationId": "RunMLService",
                    "description": _RUN,
                    "security": [{"Bearer": []}],
                    "requestBody": {
                        "description": _INPUT,
                        "content": content(reference("ServiceInput")),
                    },
                    "responses": responses(_OUTPUT, content(reference("ServiceOutput"))),
                }
            },
            "/swagger.json": {
                "get": {
                    "operationId": "GetSwaggerSpec",
                    "description": _SPECIFICATION,
                    "parameters": [
                        {
                            "name": "version",
                            "in": "query",
                            "required": False,
                            "schema": {"type": "integer", "enum": [2, 3]},
                        }
                    ],
                    "responses": responses(
                        _SPECIFICATION, content({"type": "string"}, "text/plain")
                    ),
                }
            },
        },
        "components": {
            "schemas": {"ServiceInput": given, "ServiceOutput": returned, "ErrorResponse": _ERROR},
            "securitySchemes": {"Bearer": _BEARER},
        },
    }


def _info(title: str, version: str) -> Document:
    return {
        "title": title,
        "description": f"API of the machine learning service {title}",
        "version": version,
    }
