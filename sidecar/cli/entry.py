"""Where ``kb`` begins. A hook has a tenth of a second for the whole process, so it is told apart before anything is imported."""

from __future__ import annotations

import sys


def run() -> None:
    """Run what was typed."""
    if len(sys.argv) > 2 and sys.argv[1] == "hook":
        from sidecar.cli.quick_hook import main as hook

        sys.exit(hook(sys.argv[2:]))
    from sidecar.cli.main import run as everything_else

    everything_else()


if __name__ == "__main__":
    run()
