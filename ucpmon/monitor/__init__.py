"""The monitor as a program: its command line, starting it here or over ssh, what runs beside it, its stand-in."""
