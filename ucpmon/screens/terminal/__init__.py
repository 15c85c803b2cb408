"""A terminal as far as a monitor needs one: escape sequences, emulation, and when a redraw is complete."""
