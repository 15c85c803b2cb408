.PHONY: demo test check environment format fixtures pictures docs

demo:
	scripts/demo

test:
	scripts/test

check:
	scripts/test --check

# With everything that developers need: demo's own environment has less.
environment:
	@bash -c 'set -e; . scripts/venv.sh; make_venv ".[dev]"'

format: environment
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

# Needs the recorders themselves: see scripts/apt-packages.txt.
fixtures: environment
	.venv/bin/python scripts/draw_fixtures.py

# The pictures of the READMEs; the report's needs chromium.
pictures: environment
	.venv/bin/python scripts/draw_pictures.py

# The pages of docs/, and the outputs in them and in the READMEs.
docs: environment
	.venv/bin/python scripts/write_docs.py --readme
