"""Writes docs/openapi.json, docs/index.schema.json, docs/json/ and docs/preference.md anew from the models."""

import json
from pathlib import Path

from sidecar.api.models.graph import GraphFile
from sidecar.api.openapi import openapi_document
from sidecar.api.preference_page import preference_page
from sidecar.cli.shapes import SHAPES, schema_of

docs = Path(__file__).resolve().parent.parent / "docs"
for name, document in (("openapi.json", openapi_document()), ("index.schema.json", GraphFile.model_json_schema())):
    (docs / name).write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
(docs / "json").mkdir(exist_ok=True)
for command in (*SHAPES, "error"):
    text = json.dumps(schema_of(command), ensure_ascii=False, indent=1) + "\n"
    (docs / "json" / f"{command}.schema.json").write_text(text, encoding="utf-8")

table = [f"| `kb {command}` | [json/{command}.schema.json](json/{command}.schema.json) |" for command in sorted(SHAPES)]
table.append("| any, when it fails | [json/error.schema.json](json/error.schema.json) |")
head = (docs / "json.md").read_text(encoding="utf-8").partition("| command |")[0]
(docs / "json.md").write_text(head + "\n".join(["| command | schema |", "|---|---|", *table]) + "\n", encoding="utf-8")
(docs / "preference.md").write_text(preference_page(), encoding="utf-8")
