"""A sign-out ends a sign-in in every tab, and for a copy of its cookie; the next one counts."""

from __future__ import annotations

import json
import secrets
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from streamlit.auth_util import set_cookie_with_chunks
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from dpcore.release.roles import Actor, Role
from pages.shared import sign_in, signed_out
from pages.shared.signed_out import SignOut

CLAIMS = {
    "is_logged_in": True,
    "email": "a@clinic.example",
    "email_verified": True,
    "iat": 1_000,
}


@pytest.fixture(autouse=True)
def visitor(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The claims of a visitor who is signed in, where sign-in is configured."""
    claims: dict[str, Any] = dict(CLAIMS)
    monkeypatch.setattr(signed_out, "_ended", set())
    monkeypatch.setattr(sign_in, "get_secrets_auth_section", lambda: {"client_id": "x"})
    monkeypatch.setattr(sign_in, "is_authlib_installed", lambda: True)
    monkeypatch.setattr(type(sign_in.st.user), "to_dict", lambda _: claims)
    monkeypatch.delenv("DPCORE_ROLES", raising=False)
    return claims


def cookie(claims: dict[str, Any], *, secret: str = "") -> str:
    """As Streamlit writes it."""
    value = json.dumps({"origin": "https://clinic.example", **claims})
    return create_signed_value(secret or get_cookie_secret(), "_streamlit_user", value).decode()


def request(path: str, cookies: dict[str, str]) -> bool:
    """Whether the server itself gets this request, too."""
    passed = False

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal passed
        passed = True

    header = "; ".join(f"{name}={value}" for name, value in cookies.items())
    scope = {"type": "http", "path": path, "headers": [(b"cookie", header.encode("latin-1"))]}
    # Nothing here waits, so no event loop is needed: one may be running already.
    with pytest.raises(StopIteration):
        SignOut(application)(scope, None, None).send(None)  # type: ignore[arg-type]
    return passed


def test_a_sign_in_ends_everywhere_with_the_sign_out(visitor: dict[str, Any]) -> None:
    reader = Actor("a@clinic.example", Role.READER)
    assert sign_in.allowed(Role.READER) == reader
    assert request("/explorer/auth/logout", {"_streamlit_user": cookie(CLAIMS)})
    # Another tab, or a copy of the cookie: Streamlit still says the same of it.
    assert str(sign_in.allowed(Role.READER)).startswith("Sign in")
    visitor["iat"] += 60
    assert sign_in.allowed(Role.READER) == reader


def test_a_large_cookie_is_read_from_its_parts(visitor: dict[str, Any]) -> None:
    visitor["groups"] = secrets.token_hex(5_000)
    plain: dict[str, str] = {}

    def signed(name: str, value: str) -> bytes:
        return create_signed_value(get_cookie_secret(), name, value)

    set_cookie_with_chunks(
        plain.__setitem__, signed, "_streamlit_user", visitor, cookie_attr_size=100
    )
    assert len(plain) > 2
    cookies = {name: signed(name, value).decode() for name, value in plain.items()}
    assert request("/auth/logout/", cookies)
    assert str(sign_in.allowed(Role.READER)).startswith("Sign in")


@pytest.mark.parametrize(
    ("path", "cookies"),
    [
        ("/auth/login", {"_streamlit_user": cookie(CLAIMS)}),
        ("/auth/logout", {}),
        ("/auth/logout", {"_streamlit_user": "forged"}),
        ("/auth/logout", {"_streamlit_user": "förged"}),
        ("/auth/logout", {"_streamlit_user": cookie(CLAIMS, secret="another's")}),
        ("/auth/logout", {"_streamlit_user": cookie({**CLAIMS, "iat": 999})}),
    ],
)
def test_nobody_is_signed_out_by_another(path: str, cookies: dict[str, str]) -> None:
    assert request(path, cookies)
    assert sign_in.allowed(Role.READER) == Actor("a@clinic.example", Role.READER)


def test_a_sign_in_that_cannot_be_told_from_the_next_does_not_end_it(
    visitor: dict[str, Any],
) -> None:
    del visitor["iat"]
    request("/auth/logout", {"_streamlit_user": cookie(visitor)})
    assert sign_in.allowed(Role.READER) == Actor("a@clinic.example", Role.READER)
