"""Who may do what with released models and ledgers, and who may do nothing.

A reader predicts; an analyst also spends; a steward also raises caps and sees the history. Where
people sign in, a file that the operator writes says who is what. Where nobody does, everything is
open to whoever sits at this machine, and to nobody else.
"""

from __future__ import annotations

import ipaddress
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from dpcore.errors import InvalidInput, brief, one_of
from dpcore.settings import ROLES

MAX_BYTES = 1_000_000
LONGEST_EMAIL = 254
# No sign that a mail server might read as another: without quotation marks, comments or letters
# that only look like others, two addresses are the same where they are the same in small letters.
_EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")

SIGN_IN = "Sign in to use this page; sign-in leads back to the first one."
NO_ADDRESS = "Your sign-in names no e-mail address that this program can read."
NOT_VERIFIED = (
    "Your sign-in does not say that your e-mail address is verified (email_verified), so it cannot "
    "say who you are."
)
SET = (
    "Set server.address to 127.0.0.1, server.allowedHosts to localhost, 127.0.0.1 and ::1 alone, "
    "and no server.corsAllowedOrigins, or configure sign-in under [auth] in "
    ".streamlit/secrets.toml."
)


class Role(StrEnum):
    """What somebody may do; each may do what those before it may."""

    READER = "reader"
    ANALYST = "analyst"
    STEWARD = "steward"

    def covers(self, needed: Role) -> bool:
        """Whether it is enough where another is needed."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True)
class Actor:
    """Somebody who may use what was asked for; in a ledger the e-mail address is the actor."""

    email: str  # in small letters; "" for whoever sits at this machine, where nobody signs in
    role: Role


@dataclass(frozen=True)
class Reached:
    """How the server is reached, as it is configured and by this visitor."""

    address: str | None  # on which the server listens; None is every one
    hosts: Sequence[str]  # names that it answers to; none is any
    origins: Sequence[str] = ()  # other origins whose pages it answers
    visitor: str | None = None  # the address of this connection; None is this machine's

    @property
    def complaint(self) -> str:
        """Why more than this machine reaches it, in one sentence; "" where nobody else does."""
        if not _is_this_machine(self.address):
            shown = "not set" if self.address is None else brief(self.address)
            return f"server.address is {shown}, which is not this machine alone. {SET}"
        if isinstance(self.hosts, str) or not self.hosts:
            return f"server.allowedHosts names no host, so that any name will do. {SET}"
        for host in self.hosts:
            if not _is_this_machine(host):
                return f"server.allowedHosts names {brief(host)}, not this machine alone. {SET}"
        if self.origins:
            return f"server.corsAllowedOrigins is not empty. {SET}"
        if self.visitor is not None and not _is_this_machine(self.visitor):
            return f"This connection comes from another machine. {SET}"
        return ""


@dataclass(frozen=True)
class SignIn:
    """Somebody's sign-in, where it is configured."""

    claims: Mapping[str, object]  # of OpenID Connect; none counts unless ``is_logged_in`` is True
    roles: Mapping[str, Role] = field(default_factory=dict)  # by e-mail address in small letters


def decided(needed: Role, reached: Reached, sign_in: SignIn | None) -> Actor | str:
    """Who somebody is, or in one sentence why they may not do what needs the role.

    How the server is reached counts where no sign-in is configured.
    """
    if sign_in is None:
        return f"Nobody signs in here. {reached.complaint}" if reached.complaint else AT_HAND
    claims = sign_in.claims
    if claims.get("is_logged_in") is not True:
        return SIGN_IN
    email = claims.get("email")
    if not isinstance(email, str) or not is_email(email):
        return NO_ADDRESS
    if claims.get("email_verified") is not True:
        return NOT_VERIFIED
    person = Actor(email.lower(), sign_in.roles.get(email.lower(), Role.READER))
    if not person.role.covers(needed):
        return (
            f"{person.email} has the role {person.role}, but this needs {needed}: whoever runs "
            f"this server says who has which, in the file that {ROLES.name} names."
        )
    return person


AT_HAND = Actor("", Role.STEWARD)
"""Whoever sits at this machine."""


def is_email(text: str) -> bool:
    """Whether it is an e-mail address that can be read in one way only."""
    return len(text) <= LONGEST_EMAIL and bool(_EMAIL.fullmatch(text))


def read_roles(place: str) -> dict[str, Role]:
    """Role by e-mail address, in small letters, as a file says it in its table ``[roles]``.

    A line of it is such as ``"a@clinic.example" = "steward"``. Without a file nobody is more than a
    reader. A refusal repeats no address.
    """
    if not place:
        return {}
    try:
        data = Path(place).expanduser().read_bytes()[: MAX_BYTES + 1]
        document = tomllib.loads(data.decode())
    except OSError:
        raise InvalidInput(f"The file of roles that {ROLES.name} names cannot be read.") from None
    except (ValueError, RecursionError):
        # Its own words might repeat a line, and with it an address.
        raise InvalidInput(
            f"The file of roles that {ROLES.name} names is no TOML in which each address stands "
            "once."
        ) from None
    listed = document.get("roles")
    if len(data) > MAX_BYTES or set(document) != {"roles"} or not isinstance(listed, dict):
        raise InvalidInput(
            f"The file of roles that {ROLES.name} names must have one table, [roles]."
        )
    roles: dict[str, Role] = {}
    for place_in_file, (email, role) in enumerate(listed.items(), start=1):
        if not is_email(email) or email.lower() in roles:
            raise InvalidInput(
                f"Entry {place_in_file} of the file of roles must be an e-mail address that stands "
                "in it once, whatever its capitals."
            )
        name = one_of(f"role of entry {place_in_file}", role, tuple(Role))
        roles[email.lower()] = Role(name)
    return roles


def _is_this_machine(name: object) -> bool:
    """Whether a name or an address is this machine's alone, as Streamlit compares it."""
    if not isinstance(name, str):
        return False
    plain = name.strip().lower().rstrip(".")
    if plain == "localhost":
        return True
    try:
        return ipaddress.ip_address(plain).is_loopback
    except ValueError:
        return False
