"""The OpenAPI 3.1 document, made from the operations' own models."""

from __future__ import annotations

import re
from typing import Any

from pydantic.json_schema import models_json_schema

from sidecar import __version__
from sidecar.api.models.base import ProblemBody
from sidecar.api.operations import OPERATIONS, Operation


def openapi_document() -> dict[str, Any]:
    """Describe every operation: parameters, bodies, answers, errors."""
    models = {op.request for op in OPERATIONS} | {op.answer for op in OPERATIONS} | {ProblemBody}
    refs, schemas = models_json_schema(
        [(model, "validation") for model in sorted(models, key=lambda m: m.__name__)], ref_template="#/components/schemas/{model}"
    )
    paths: dict[str, Any] = {}
    for op in OPERATIONS:
        paths.setdefault(op.path, {})[op.method.lower()] = _operation(op, refs)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Vault Sidecar", "version": __version__},
        "components": {
            "schemas": schemas.get("$defs", {}),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
        "paths": paths,
    }


def _operation(op: Operation, refs: dict[Any, Any]) -> dict[str, Any]:
    problem = {"application/problem+json": {"schema": refs[ProblemBody, "validation"]}}
    described: dict[str, Any] = {
        "summary": op.summary,
        "operationId": operation_id(op),
        "responses": {
            "200": {"description": "Done", "content": {"application/json": {"schema": refs[op.answer, "validation"]}}},
            "default": {"description": "A problem", "content": problem},
        },
    }
    in_path = set(re.findall(r"{(\w+)}", op.path))
    schema = op.request.model_json_schema()
    properties = schema.get("properties", {})
    if op.method == "POST":
        if in_path:
            described["parameters"] = [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in sorted(in_path)
            ]
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": refs[op.request, "validation"]}}}
    else:
        described["parameters"] = [
            {
                "name": name,
                "in": "path" if name in in_path else "query",
                "required": name in schema.get("required", []),
                "schema": {key: value for key, value in field.items() if key not in ("title", "description")},
                **({"description": field["description"]} if "description" in field else {}),
            }
            for name, field in properties.items()
        ]
    return described


def operation_id(op: Operation) -> str:
    """Name an operation by method and path: ``get_kb_search``."""
    return f"{op.method.lower()}_" + "_".join(re.findall(r"\w+", op.path.removeprefix("/api/")))
