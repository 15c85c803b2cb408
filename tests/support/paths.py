"""Where things stand in the checkout."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
