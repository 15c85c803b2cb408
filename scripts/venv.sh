# make_venv SPEC: a virtual environment in $VENV (default .venv) with this project, installed when pyproject.toml is newer.
VENV="${VENV:-.venv}"
PYTHON="${PYTHON:-python3}"
make_venv() {
  if ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    echo "ucpmon needs Python 3.10 or newer: set PYTHON=/path/to/python3" >&2
    exit 2
  fi
  if [ ! -x "$VENV/bin/pip" ]; then
    "$PYTHON" -m venv "$VENV" || { echo "Python's venv is missing: apt-get install python3-venv" >&2; exit 2; }
  fi
  if [ "$(cat "$VENV/.spec" 2>/dev/null)" != "$1" ] || [ pyproject.toml -nt "$VENV/.spec" ]; then
    echo "setting up $VENV, once; this takes a minute" >&2
    "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$1"
    printf '%s' "$1" > "$VENV/.spec"
  fi
}
