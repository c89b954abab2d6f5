"""How long people live without an event, as curves that may be published."""
