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

# stamp_of runtime|dev: changes whenever what is to be installed does
stamp_of() {
  cat "$here/.ci/lock/$1.txt" "$here/pyproject.toml" | cksum
}

has_stamp() {
  [ "$(cat "$environment/.stamp-$1" 2>/dev/null)" = "$(stamp_of "$1")" ]
}

# prepare_environment runtime|dev: what is locked for that, and this checkout itself, in .venv
prepare_environment() {
  local lock=$here/.ci/lock/$1.txt python log
  # The developer's environment holds all that running needs.
  if [ -x "$environment/bin/kb" ] && { has_stamp "$1" || { [ "$1" = runtime ] && has_stamp dev; }; } &&
    "$environment/bin/python" -c 'import sidecar' 2>/dev/null; then
    return
  fi
  python=$(find_python)
  if [ ! -x "$environment/bin/python" ] && ! "$python" -m venv "$environment" >/dev/null 2>&1; then
    rm -rf "$environment"
    echo "Python's venv module is missing. On Debian: apt install python3-venv" >&2
    return 1
  fi
  echo "Installing what is locked in ${lock#"$here"/} (once) …" >&2
  log=$(mktemp)
  if ! { "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock" &&
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable "$here"; } >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    echo "The packages could not be installed. Check the connection and try again." >&2
    return 1
  fi
  rm -f "$log"
  stamp_of "$1" > "$environment/.stamp-$1"
}
