"""Say who uses the page, by Streamlit's sign-in (OpenID Connect) where it is configured.

`dpcore.release.roles` decides; here is what Streamlit knows.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.auth_util import get_secrets_auth_section, is_authlib_installed

from dpcore.errors import InvalidInput
from dpcore.release.roles import Actor, Reached, Role, SignIn, decided, read_roles
from dpcore.settings import ROLES
from pages.shared import signed_out
from pages.shared.verbatim import verbatim

NO_PACKAGE = "Sign-in is configured, but its package is not installed: streamlit[auth]."
BY_HEADERS = (
    "server.trustedUserHeaders is set, so that a request’s own header could say who somebody is: "
    "with sign-in it must be empty."
)
SHORTEST_SECRET = 32
GUESSABLE = (
    "cookie_secret in .streamlit/secrets.toml has {length} signs and could be guessed: it needs "
    f"at least {SHORTEST_SECRET}, drawn at random."
)


def allowed(role: Role) -> Actor | str:
    """Say who the visitor is, or in one sentence why they may not do what needs the role.

    Call it in every run, and again right before a spend: a role may have been taken away.
    """
    section = get_secrets_auth_section()
    is_configured = bool(section)
    if is_configured and not is_authlib_installed():
        return NO_PACKAGE
    if is_configured and st.get_option("server.trustedUserHeaders"):
        return BY_HEADERS
    length = len(str(section.get("cookie_secret", "")))
    if 0 < length < SHORTEST_SECRET:
        return GUESSABLE.format(length=length)
    reached = Reached(
        st.get_option("server.address"),
        st.get_option("server.allowedHosts"),
        st.get_option("server.corsAllowedOrigins"),
        st.context.ip_address,
    )
    if not is_configured:
        return decided(role, reached, None)
    try:
        roles = read_roles(ROLES.text)
    except InvalidInput as refusal:
        return str(refusal)
    return decided(role, reached, SignIn(signed_out.visitor(), roles))


def still(person: Actor, role: Role, claims: Mapping[str, object]) -> bool:
    """Say whether somebody who was allowed is so still, by these claims; also outside of a run."""
    if not person.email:
        return True
    if signed_out.has_ended(claims):
        return False
    try:
        return read_roles(ROLES.text).get(person.email, Role.READER).covers(role)
    except InvalidInput:
        return False


def needed(role: Role) -> Actor:
    """Return the visitor, if they may do what needs the role; else say why not, and end the run."""
    person = allowed(role)
    if isinstance(person, str):
        refuse(person)
        st.stop()
    return person


def refuse(reason: str) -> None:
    """Say why the visitor may not, with the way to sign in, or out, where there is one."""
    st.error(verbatim(reason), icon=":material/lock:")
    if get_secrets_auth_section() and is_authlib_installed():
        if signed_out.visitor().get("is_logged_in") is True:
            st.button("Sign out", icon=":material/logout:", on_click=st.logout)
        else:
            st.button("Sign in", icon=":material/login:", type="primary", on_click=_sign_in)


def _sign_in() -> None:
    section = get_secrets_auth_section()
    named = [name for name, part in section.items() if isinstance(part, Mapping)]
    # Without a provider of its own, the section names some.
    st.login(None if "client_id" in section or not named else named[0])


def who(person: Actor) -> None:
    """Say in the sidebar who is signed in, with the way out; nothing where nobody signs in."""
    if person.email:
        with st.sidebar:
            st.caption(verbatim(f"{person.email}, {person.role}"))
            st.button("Sign out", icon=":material/logout:", on_click=st.logout)
