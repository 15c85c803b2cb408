.PHONY: demo test check format fixtures pictures docs

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

# The pictures of the READMEs; the report's needs chromium.
pictures:
	.venv/bin/python scripts/draw_pictures.py

# The pages of docs/, and the outputs in the READMEs.
docs:
	.venv/bin/python scripts/write_docs.py --readme
