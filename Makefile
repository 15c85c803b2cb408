.PHONY: demo test check format fixtures

demo:
	scripts/demo

test:
	scripts/test

check:
	scripts/test --check

format:
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

# Needs the recorders themselves: see scripts/apt-packages.txt.
fixtures:
	.venv/bin/python scripts/draw_fixtures.py
