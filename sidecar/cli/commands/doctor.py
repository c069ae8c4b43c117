"""``kb doctor``: is everything in order, and if not, what to do."""

from __future__ import annotations

import argparse

from sidecar.cli.client import find_running
from sidecar.cli.context import Context, bold


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--note", help="say whether this note is indexed, and if not why")
    parser.add_argument("--report", action="store_true", help="write a report for others: no keys, private addresses or home folder in it")


def run(args: argparse.Namespace, context: Context) -> int:
    from sidecar.daemon.doctor import check_note, check_vault, find_vault_id

    root = context.vault()
    client = context.client()
    endpoint = find_running(root)
    findings = [check_note(client, args.note)] if args.note else check_vault(root, client, endpoint)
    if args.report:
        from sidecar.daemon.report import write_report

        text = write_report(root, findings, endpoint, find_vault_id(root))
        context.print({"report": text}, text.splitlines())
        return 0
    words = context.words
    lines: list[str] = []
    for finding in findings:
        lines.append(f"{words.marks[finding.state]}{bold(words.checks.get(finding.name, finding.name))}: {finding.text}")
        if finding.fix:
            lines.append(f"       {finding.fix}")
    bad, notes = (sum(finding.state == state for finding in findings) for state in ("bad", "note"))
    last = words.some_bad.format(count=bad) if bad else words.some_notes.format(count=notes) if notes else words.all_well
    lines += [] if args.note else ["", last]
    context.print({"findings": [finding.as_json() for finding in findings]}, lines)
    if any(finding.name in ("vault-unreadable", "vault-missing") for finding in findings):
        return 3
    return 9 if bad else 0
