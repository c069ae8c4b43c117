"""What ``./run`` does last: serve the vault, or find that it is served already, and say what to do next."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from sidecar.cli.client import RunningSidecar, find_running
from sidecar.cli.exit_codes import exit_code_of
from sidecar.daemon.process import SidecarProcess
from sidecar.errors import SidecarError

_STEPS = """
  Console    {link}
             (the link works once, for a minute; a new one: {kb} open)

  Next
  1. In Obsidian, open this folder as a vault: {vault}
     and switch on "Vault Sidecar" under Settings → Community plugins.
  2. Make a note of a link:   {kb} add https://example.com/page
  3. Search:                  {kb} search 知识库

  Ctrl-C stops the sidecar. Your notes stay as they are.
"""


def main(vault: Path) -> int:
    """Serve ``vault`` until stopped; give the exit code."""
    running = find_running(vault)
    if running is not None:
        print("A sidecar already serves this vault.")
        _say(vault, running.url, str(RunningSidecar(running).call("POST", "/api/kb/console-code")["code"]))
        return 0

    def ready(url: str) -> None:
        # Asked over HTTP like any other client, so that the link is known to work.
        async def ask() -> None:
            endpoint = await asyncio.to_thread(find_running, vault)
            if endpoint is not None:
                answer = await asyncio.to_thread(RunningSidecar(endpoint).call, "POST", "/api/kb/console-code")
                _say(vault, url, str(answer["code"]))

        tasks.append(asyncio.get_running_loop().create_task(ask()))

    tasks: list[asyncio.Task[None]] = []
    print("Reading the vault …", flush=True)
    return asyncio.run(SidecarProcess(vault, None, ready, is_service=False).run())


def _say(vault: Path, url: str, code: str) -> None:
    kb = f'{Path(sys.executable).with_name("kb")} --vault "{vault}"'
    print(_STEPS.format(link=f"{url}/#code={code}", vault=vault.resolve(), kb=kb), flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1])))
    except SidecarError as error:
        sys.stderr.write(f"{error.message}\n{error.fix}\n")
        sys.exit(exit_code_of(error))
