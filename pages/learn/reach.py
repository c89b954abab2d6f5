"""Find the address by which phones reach this page: only where the server listens to a network."""

from __future__ import annotations

import socket
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from dpcore.controls.learn import CLASS_CODE

OF_THIS_MACHINE = ("localhost", "127.0.0.1", "::1", "[::1]")
SOME_OTHER = ("192.0.2.1", 9)
"""An address of nobody (RFC 5737): nothing is sent there."""


def link(code: str) -> str:
    """Return the class's link for phones; "" where the server listens on this machine alone."""
    parts = urlsplit(st.context.url or "")
    host = parts.hostname or ""
    if host in ("", *OF_THIS_MACHINE):
        host = _network_name()
    if not host:
        return ""
    name = f"[{host}]" if ":" in host else host
    place = name if parts.port is None else f"{name}:{parts.port}"
    settings = urlencode({CLASS_CODE.key: code})
    return parts._replace(netloc=place, query=settings, fragment="").geturl()


def picture(address: str) -> str:
    """Return a link as QR code: SVG, black on white with its quiet zone, on dark pages too."""
    made = segno.make(address, error="m", micro=False)
    return str(made.svg_inline(scale=4, border=4, dark="#000", light="#fff"))


def own_address() -> str:
    """Return this machine's address in its network; "" without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(SOME_OTHER)  # chooses the way, and sends nothing
            address = str(probe.getsockname()[0])
        except OSError:
            return ""
    return "" if address in OF_THIS_MACHINE else address


def _network_name() -> str:
    """Return a name by which the server answers to others, if it listens to them."""
    listens_on = st.get_option("server.address") or ""
    if listens_on in OF_THIS_MACHINE:
        return ""
    named = [each for each in st.get_option("server.allowedHosts") if "*" not in each]
    others = [each for each in named if each not in OF_THIS_MACHINE]
    mine = own_address()
    return others[0] if others else mine if is_host_allowed(mine) else ""
