#!/usr/bin/env bash
# Makes the two lock files anew from pyproject.toml. Needs `uv` on PATH; the lock files themselves need only pip.
set -euo pipefail
cd "$(dirname "$0")/.."
compile() {
  uv pip compile "$@" --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --quiet
}
compile pyproject.toml --group build --output-file .ci/lock/runtime.txt
compile pyproject.toml --group build --group dev --output-file .ci/lock/dev.txt
