"""Examples that end each command's help. A test reads every one with the command's own parser, and renders them in 80 columns."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "init": ("kb init ~/Notes                     # a new vault, or one you have", "kb init ~/笔记 --language zh-CN"),
    "serve": (
        "kb serve --vault ~/Notes",
        "kb serve --port 27180               # always the same port",
        "kb serve --supervise                # where nothing else restarts it",
    ),
    "status": ("kb status", "kb status --json"),
    "service": (
        "kb service install                  # from now on at each login",
        "kb service install --dry-run        # only show what would be written",
        "kb service logs --follow",
        "kb service uninstall",
    ),
    "plugin": ("kb plugin install", "kb plugin update", "kb plugin uninstall"),
    "open": ("kb open", "kb open --print                     # the link only; it works once"),
    "add": (
        "kb add https://example.com/page",
        'kb add https://example.com/page --tag garden --use-when "planning beds"',
        "kb add --file links.txt             # a list, or exported bookmarks",
        "kb add --queue                      # what waits for another try",
    ),
    "search": (
        "kb search 知识库",
        'kb search "slow garden" -winter tag:plants',
        "kb search compost after:2026-01 --limit 3 --json",
        "kb search --like Compost            # notes that use the same words",
    ),
    "bench": ("kb bench                            # on your own notes", "kb bench --qrels testset --json"),
    "feeds": (
        "kb feeds                            # all, and how each did last",
        "kb feeds add https://example.com/blog",
        "kb feeds test https://example.com/feed.xml",
        "kb feeds set my-feed interval_min=60",
        "kb feeds import subscriptions.opml --dry-run",
    ),
    "run": ("kb run                              # all that are on", "kb run --only my-feed --dry-run     # show, and keep nothing"),
    "brief": ("kb brief", "kb brief 2026-07-23", "kb brief --week"),
    "judge": (
        "kb judge                            # by the endpoint, if one is set",
        "kb judge --candidates 10",
        "kb judge --save verdicts.json",
    ),
    "items": (
        "kb items --tier worth",
        "kb items 知识库 --since 2026-07-01 --sort weight",
        "kb items --id 4f2a --more           # more of that subscription",
    ),
    "read": ("kb read Garden", "kb read Garden --no-signal          # only look"),
    "cite": ('kb cite Garden Soil --context "for the plan of the beds"',),
    "docket": ("kb docket", "kb docket Garden                    # why it is listed, or why not"),
    "trial": ("kb trial",),
    "promote": ('kb promote "Sort me" --use-when "choosing what to plant"',),
    "chew": (
        "kb chew                             # what has been used enough",
        'kb chew Garden Soil --title "Soil first" --sentence "…" --use-when "…"',
    ),
    "resurrect": ('kb resurrect "Folders for everything"',),
    "purge": ('kb purge "Folders for everything"',),
    "health": ("kb health",),
    "rebuild": ("kb rebuild",),
    "links": ("kb links Garden", 'kb links "wiki/Linking notes.md" --json'),
    "set": ("kb set Garden status=read", 'kb set Garden "tags=[plants, soil]"', "kb set Garden --remove status"),
    "list": ("kb list orphans", "kb list unresolved", "kb list tags --limit 20"),
    "moc": ("kb moc", "kb moc --adopt                      # give the map a place in your own note", "kb moc --write"),
    "graph": ("kb graph --json", "kb graph --format html --output graph.html"),
    "resolve": ("kb resolve [[Soil]] --from Garden.md",),
    "extract": ("kb extract page.html --url https://example.com/page",),
    "secrets": (
        "kb secrets set cookie:example.com   # typed or piped in, never an argument",
        "kb secrets list",
        "kb secrets rm cookie:example.com",
    ),
    "token": ("kb token", "kb token --json                     # with the address"),
    "doctor": (
        "kb doctor",
        "kb doctor --note Garden             # is it indexed, and if not why",
        "kb doctor --report > report.txt     # for a bug report",
    ),
    "export": ("kb export ~/copy-of-my-notes", "kb export ~/graph --only graph"),
    "completion": (
        "kb completion bash > ~/.local/share/bash-completion/completions/kb",
        "kb completion zsh > ~/.zfunc/_kb    # with fpath+=~/.zfunc",
        "kb completion fish > ~/.config/fish/completions/kb.fish",
    ),
}
"""By command; ``#`` begins a remark."""
