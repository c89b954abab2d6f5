"""When a sign-in counts and ends: in every tab, for a copy of its cookie, and for files."""

from __future__ import annotations

import json
import secrets
import time
from typing import Any

import pytest
from streamlit.auth_util import set_cookie_with_chunks
from streamlit.runtime import memory_media_file_storage
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from uvicorn.protocols.http import h11_impl
from websockets.http11 import Request
from websockets.server import ServerProtocol

from app import LONGEST_HEADERS
from dpcore.release.roles import AT_HAND, Actor, Role
from pages.release.payment import Press
from pages.server import sign_in, transfers
from pages.server.sign_in import SignOut

NOW = int(time.time())
CLAIMS = {
    "is_logged_in": True,
    "email": "a@clinic.example",
    "email_verified": True,
    "iat": NOW,
    "exp": NOW + 7 * 86_400,
}


@pytest.fixture(autouse=True)
def visitor(monkeypatch):
    """The claims of a visitor who is signed in, where sign-in is configured."""
    claims: dict[str, Any] = dict(CLAIMS)
    monkeypatch.setattr(sign_in, "_ended", set())
    monkeypatch.setattr(sign_in, "STARTED", NOW - 7 * 86_400)
    monkeypatch.setattr(sign_in, "get_script_run_ctx", lambda **_: object())
    monkeypatch.setattr(sign_in, "get_secrets_auth_section", lambda: {"client_id": "x"})
    monkeypatch.setattr(sign_in, "is_authlib_installed", lambda: True)
    monkeypatch.setattr(type(sign_in.st.user), "to_dict", lambda _: claims)
    monkeypatch.delenv("DPCORE_ROLES", raising=False)
    return claims


def cookie(claims, *, secret=""):
    """As Streamlit writes it."""
    value = json.dumps({"origin": "https://clinic.example", **claims})
    return create_signed_value(secret or get_cookie_secret(), "_streamlit_user", value).decode()


def request(path, cookies):
    """Whether the server itself gets this request, too."""
    passed = False

    async def application(scope, receive, send):
        nonlocal passed
        passed = True

    header = "; ".join(f"{name}={value}" for name, value in cookies.items())
    scope = {"type": "http", "path": path, "headers": [(b"cookie", header.encode("latin-1"))]}

    async def send(_):
        pass

    # Nothing here waits, so no event loop is needed: one may be running already.
    with pytest.raises(StopIteration):
        SignOut(application)(scope, None, send).send(None)  # type: ignore[arg-type]
    return passed


def test_a_sign_in_ends_everywhere_with_the_sign_out(visitor):
    reader = Actor("a@clinic.example", Role.READER)
    assert sign_in.allowed(Role.READER) == reader
    assert request("/explorer/auth/logout", {"_streamlit_user": cookie(CLAIMS)})
    # Another tab, or a copy of the cookie: Streamlit still says the same of it.
    assert str(sign_in.allowed(Role.READER)).startswith("Sign in")
    visitor["iat"] += 60
    assert sign_in.allowed(Role.READER) == reader


def test_a_large_cookie_is_read_from_its_parts(visitor):
    visitor["groups"] = secrets.token_hex(5_000)
    plain: dict[str, str] = {}

    def signed(name, value):
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
        ("/auth/logout", {"_streamlit_user": cookie({**CLAIMS, "iat": NOW - 1})}),
    ],
)
def test_nobody_is_signed_out_by_another(path, cookies):
    assert request(path, cookies)
    assert sign_in.allowed(Role.READER) == Actor("a@clinic.example", Role.READER)


ENDED: list[dict[str, Any]] = [
    {"iat": NOW - 12 * 3_600},
    {"iat": NOW - 7 * 86_400 - 1},  # before the server was started
    {"exp": NOW},
    {"exp": None},
    {"iat": None},
    {"iat": "now"},
]
COUNTING: list[dict[str, Any]] = [{}, {"iat": NOW - 3_600}, {"exp": NOW + 9_999}]


@pytest.mark.parametrize("changed", [*ENDED, *COUNTING])
def test_one_rule_says_when_a_sign_in_counts(changed, visitor, monkeypatch):
    visitor |= changed
    counts = changed in COUNTING
    person = Actor("a@clinic.example", Role.READER)
    assert (sign_in.allowed(Role.READER) == person) == counts
    # As a payment asks, outside of the page's run.
    assert sign_in.still(person, Role.READER, visitor) == counts
    address = named(monkeypatch, visitor)
    assert request(f"/media/{address}.csv", {"_streamlit_user": cookie(visitor)})


def test_what_was_issued_before_a_restart_does_not_count(visitor, monkeypatch):
    request("/auth/logout", {"_streamlit_user": cookie(CLAIMS)})
    monkeypatch.setattr(sign_in, "_ended", set())
    monkeypatch.setattr(sign_in, "STARTED", NOW + 1)
    assert str(sign_in.allowed(Role.READER)).startswith("Sign in")
    visitor["iat"] = NOW + 2
    assert sign_in.allowed(Role.READER) == Actor("a@clinic.example", Role.READER)


def test_the_cookies_of_somebody_in_many_groups_are_taken():
    size = LONGEST_HEADERS - 2_000
    head = f"GET / HTTP/1.1\r\nHost: here\r\nCookie: groups={'x' * size}\r\n\r\n".encode()
    page = ServerProtocol()
    page.receive_data(head)
    assert [type(each) for each in page.events_received()] == [Request]
    assert h11_impl.DEFAULT_MAX_INCOMPLETE_EVENT_SIZE == LONGEST_HEADERS


def test_nothing_is_paid_for_one_who_has_signed_out(visitor):
    press = Press(0, Actor("a@clinic.example", Role.READER), sign_in.visitor())
    assert sign_in.still(press.person, Role.READER, press.claims)
    request("/auth/logout", {"_streamlit_user": cookie(CLAIMS)})
    assert not sign_in.still(press.person, Role.READER, press.claims)
    assert not press.may_still()
    assert Press(0, AT_HAND).may_still()


def test_a_file_for_one_who_is_signed_in_is_given_to_nobody_else(visitor, monkeypatch):
    path = f"/explorer/media/{named(monkeypatch, visitor)}.csv"
    own = {"_streamlit_user": cookie(CLAIMS)}
    assert request(path, own)
    assert request(path, {"_streamlit_user": cookie({**CLAIMS, "iat": NOW + 9})})  # the next one
    assert not request(path, {})
    assert not request(path, {"_streamlit_user": cookie({**CLAIMS, "email": "b@clinic.example"})})
    assert not request(path, {"_streamlit_user": cookie(CLAIMS, secret="another's")})
    request("/auth/logout", own)
    assert not request(path, own)
    visitor.clear()
    assert request(f"/media/{named(monkeypatch, visitor)}.csv", {})  # where nobody signs in
    assert request("/static/media/MaterialSymbols-Rounded.e1f2.woff2", {})


def named(monkeypatch, visitor):
    """The address of a file on a page that is drawn for the visitor."""
    monkeypatch.setattr(memory_media_file_storage, "_calculate_file_id", None)
    transfers.keep_secret(lambda: sign_in.owner(sign_in.visitor()))
    files = memory_media_file_storage.MemoryMediaFileStorage("/media")
    return files.load_and_get_id(b"1,2", "text/csv", MediaFileKind.DOWNLOADABLE, "a.csv")
