"""Every control of every page and command, declared once as plain data."""
