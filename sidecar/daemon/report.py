"""A report for others: what the checks found and what the log says last, without what is private."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from pathlib import Path

from sidecar import PROTOCOL_VERSION, __version__
from sidecar.config import KB_FOLDER
from sidecar.daemon.endpoint import Endpoint, user_folder
from sidecar.daemon.findings import Finding
from sidecar.daemon.logs import log_path, read_log
from sidecar.daemon.redact import redact
from sidecar.store import Secrets

_LINES = 60


def write_report(root: Path, findings: Iterable[Finding], endpoint: Endpoint | None, vault_id: str) -> str:
    """Write the report. No key, cookie, private address, home folder or name of a note's folder outside it survives."""
    lines = [
        f"Vault Sidecar {__version__}, protocol {PROTOCOL_VERSION}, Python {platform.python_version()}, {platform.platform(terse=True)}",
        "",
        "## Checks",
        "",
        *(f"- {finding.state}: {finding.name}: {finding.text}" + (f" ({finding.fix})" if finding.fix else "") for finding in findings),
        "",
        "## Settings that are not the default",
        "",
        *(f"    {line}" for line in _settings(root)),
        "",
        "## Log",
        "",
    ]
    for record in read_log(log_path(vault_id), _LINES) if vault_id else []:
        lines.append(f"    {record['at']} {record['level']} {record['message']}")
        lines += [f"      {line}" for line in str(record.get("error", "")).splitlines()]
    return redact("\n".join(lines) + "\n", hidden=_known(endpoint), home=Path.home(), for_others=True)


def _settings(root: Path) -> list[str]:
    try:
        text = (root / KB_FOLDER / "config.toml").read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def _known(endpoint: Endpoint | None) -> list[str]:
    """Give the secrets that are known here: the sidecar's key, and those of the owner."""
    store = Secrets(user_folder())
    values = [store.find(name) or "" for name in store.names()]
    parts = [part.partition("=")[2] or part for value in values for part in value.split(";")]
    return [*values, *(part.strip() for part in parts), *([endpoint.token] if endpoint else [])]
