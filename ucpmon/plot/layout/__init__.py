"""Where things stand on the page and how they look: panels, keys, lanes of marks and phases, axes, text."""
