"""Writes docs/openapi.json and docs/index.schema.json anew from the models."""

import json
from pathlib import Path

from sidecar.api.models.graph import GraphFile
from sidecar.api.openapi import openapi_document

docs = Path(__file__).resolve().parent.parent / "docs"
for name, document in (("openapi.json", openapi_document()), ("index.schema.json", GraphFile.model_json_schema())):
    (docs / name).write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
