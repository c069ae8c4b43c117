# Sourced by ./run and ./test: one virtual environment in the checkout, made from a lock file, made anew only if the lock changed.
environment=$here/.venv

find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3.14 python3.13 python3.12 python3.11 python3; do
    [ -n "$candidate" ] || continue
    if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  echo "Python 3.11 or newer is needed and was not found. On Debian: apt install python3 python3-venv" >&2
  return 1
}

# stamp_of runtime|dev: changes whenever what is to be installed does, or the checkout was moved
stamp_of() {
  { cat "$here/.ci/lock/$1.txt" "$here/pyproject.toml" && echo "$here"; } | cksum
}

has_stamp() {
  [ "$(cat "$environment/.stamp-$1" 2>/dev/null)" = "$(stamp_of "$1")" ]
}

# prepare_environment runtime|dev: what is locked for that, and this checkout itself, in .venv
prepare_environment() {
  local lock=$here/.ci/lock/$1.txt log
  # The developer's environment holds all that running needs.
  if { has_stamp "$1" || { [ "$1" = runtime ] && has_stamp dev; }; } && "$environment/bin/python" -c 'import sidecar' 2>/dev/null; then
    return
  fi
  log=$(mktemp)
  if ! make_environment "$lock" >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    if grep -q 'ensurepip' "$log"; then
      echo "Python's venv module is not whole. On Debian: apt install python3-venv" >&2
    else
      echo "The environment in .venv could not be made. Check the connection and that this folder may be written, then try again." >&2
    fi
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
  stamp_of "$1" > "$environment/.stamp-$1"
}

make_environment() {
  local python
  if ! "$environment/bin/python" -m pip --version; then # none yet, or one that was left half made
    python=$(find_python) || return 1
    "$python" -m venv --clear "$environment" || return 1
  fi
  echo "Installing what is locked (once, a minute or so, 230 MB) …" >/dev/tty 2>/dev/null || true
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$1" &&
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable "$here"
}
