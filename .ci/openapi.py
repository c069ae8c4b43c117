"""Writes docs/openapi.json anew from the operations' models."""

import json
from pathlib import Path

from sidecar.api.openapi import openapi_document

target = Path(__file__).resolve().parent.parent / "docs" / "openapi.json"
target.write_text(json.dumps(openapi_document(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
