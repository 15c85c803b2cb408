# The few commands that people look for here.
.PHONY: test check fixtures

test:
	bash scripts/test

check:
	bash scripts/test --check

# Draws the captures of fixtures/ again; needs asciinema 2.4, script, ts, tmux and screen.
fixtures:
	. scripts/venv.sh && make_venv ".[dev]" && "$$VENV/bin/python" scripts/draw_fixtures.py
