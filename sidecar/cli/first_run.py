"""What ``./run`` does once there is an environment: set the vault up, serve it, and say what to do next."""

from __future__ import annotations

import asyncio
import shlex
import sys
from pathlib import Path

from sidecar.cli.client import RunningSidecar, find_running
from sidecar.cli.exit_codes import exit_code_of
from sidecar.daemon.init import InitReport, default_language, init_vault
from sidecar.daemon.plugin_files import install_plugin
from sidecar.daemon.process import SidecarProcess
from sidecar.errors import SidecarError

_NEXT = """
  Console   {link}
            (opens once, within a minute; a new link: kb open)

  Next
  1. In Obsidian, open the folder as a vault and switch on "Vault Sidecar"
     under Settings → Community plugins.
  2. In another terminal, make the commands known:
     export KB_VAULT={vault}
     PATH={bin}:$PATH
  3. Make a note of a link, and find it:
     kb add https://example.com/page
     kb search 知识库
  4. To have it start when you log in: stop this one with Ctrl-C, then
     kb service install
{end}"""


def main(vault: Path) -> int:
    """Set ``vault`` up and serve it until stopped; give the exit code."""
    vault = vault.resolve()
    running = find_running(vault)
    if running is not None:
        print("A sidecar already serves this vault; it runs in another terminal.")
        _say(vault, RunningSidecar(running), "")
        return 0
    _tell_setup(vault, init_vault(vault, default_language()))
    install_plugin(vault)

    def ready(_: str) -> None:
        # Asked over HTTP like any other client, so that the link is known to work.
        async def ask() -> None:
            endpoint = await asyncio.to_thread(find_running, vault)
            if endpoint is not None:
                await asyncio.to_thread(
                    _say, vault, RunningSidecar(endpoint), "\n  Ctrl-C stops the sidecar. Your notes stay as they are.\n"
                )

        tasks.append(asyncio.get_running_loop().create_task(ask()))

    tasks: list[asyncio.Task[None]] = []
    print("Reading the notes …", flush=True)
    code = asyncio.run(SidecarProcess(vault, None, ready, is_service=False).run())
    print("\nThe sidecar has stopped.")
    return code


def _tell_setup(vault: Path, report: InitReport) -> None:
    if report.is_new_vault:
        print(f"Made a new vault at {vault}")
    elif report.added:
        print(f"Set up {vault}; your notes are as they were. Added: {', '.join(report.added)}")
    for sentence in report.migrated:
        print(sentence)
    if report.map_hint:
        print(report.map_hint)


def _say(vault: Path, sidecar: RunningSidecar, end: str) -> None:
    code = sidecar.call("POST", "/api/kb/console-code")["code"]
    link = f"{sidecar.endpoint.url}/#code={code}"
    folder = shlex.quote(str(Path(sys.executable).parent))
    print(_NEXT.format(link=link, vault=shlex.quote(str(vault)), bin=folder, end=end), flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1]).expanduser()))
    except SidecarError as error:
        sys.stderr.write(f"{error.message}\n{error.fix}\n")
        sys.exit(exit_code_of(error))
