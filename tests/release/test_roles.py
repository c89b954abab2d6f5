"""Who may do what: a table of cases, most of them of people who may not."""

import pytest

from dpcore.errors import InvalidInput
from dpcore.release.roles import AT_HAND, Actor, Reached, Role, SignIn, decided, read_roles

HOSTS = ("localhost", "127.0.0.1", "::1")
ROLES = {"s@clinic.example": Role.STEWARD, "a@clinic.example": Role.ANALYST}


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "LOCALHOST", "::1", "127.0.0.2"])
def test_whoever_sits_at_a_machine_that_nobody_else_reaches_may_do_all(address):
    for needed in Role:
        assert decided(needed, Reached(address, HOSTS), None) == AT_HAND
    assert decided(Role.STEWARD, Reached(address, ["LocalHost."], (), "127.0.0.1"), None) == AT_HAND


@pytest.mark.parametrize(
    ("reached", "named"),
    [
        *(
            (Reached(address, HOSTS), "server.address")
            for address in (
                *(None, "", "0.0.0.0", "::", "0", "127.1", "192.168.1.5", "::ffff:10.0.0.1"),
                *("localhost.evil.com", "evil-localhost", "127.0.0.1.evil.com", "[::1]", "*"),
            )
        ),
        *(
            (Reached("127.0.0.1", hosts), "server.allowedHosts")
            for hosts in (
                *((), "localhost", ("*",), ("localhost", "*.localhost"), ("",)),
                *(("localhost", "explorer.clinic.example"), ("localhost.evil.com",), ("0.0.0.0",)),
            )
        ),
        (Reached("127.0.0.1", HOSTS, ("https://clinic.example",)), "server.corsAllowedOrigins"),
        # Started by another program, which listens elsewhere than is configured.
        (Reached("127.0.0.1", HOSTS, (), "10.1.2.3"), "another machine"),
    ],
)
def test_without_sign_in_nobody_else_may_do_anything(reached, named):
    for needed in Role:
        refusal = decided(needed, reached, None)
        assert isinstance(refusal, str)
        assert named in refusal
        assert "server.address to 127.0.0.1" in refusal


def signed_in(email, **more):
    claims = {"is_logged_in": True, "email": email, "email_verified": True} | more
    return SignIn(claims, ROLES)


OPEN = Reached("0.0.0.0", ("explorer.clinic.example",))


@pytest.mark.parametrize(
    ("email", "role", "may"),
    [
        ("s@clinic.example", Role.STEWARD, (True, True, True)),
        ("S@Clinic.EXAMPLE", Role.STEWARD, (True, True, True)),
        ("a@clinic.example", Role.ANALYST, (True, True, False)),
        ("someone@else.example", Role.READER, (True, False, False)),
    ],
)
def test_who_signs_in_has_the_role_of_the_file_and_a_reader_s_else(email, role, may):
    person = Actor(email.lower(), role)
    for needed, can in zip(Role, may, strict=True):
        result = decided(needed, OPEN, signed_in(email))
        assert (result == person) if can else (isinstance(result, str) and needed in result)


@pytest.mark.parametrize(
    "email",
    [
        *(None, "", 7, ["s@clinic.example"], "s", "@", "s@clinic", " s@clinic.example"),
        *("s@clinic.example ", "s@clinic.example\n", "s @clinic.example", '"s"@clinic.example'),
        *("s@clinic.example,a@clinic.example", "s@clinic.example@evil.com", "s\0@clinic.example"),
        # Letters that small letters or foldings make others of, or that look like others.
        *("\u017f@clinic.example", "s@cl\u0131nic.example", "s@\u0441linic.example"),
        "\uff53@clinic.example",
        "s@" + "a." * 130 + "example",
    ],
)
def test_an_address_that_can_be_read_in_two_ways_is_nobody_s(email):
    assert isinstance(decided(Role.READER, OPEN, signed_in(email)), str)


def test_only_what_the_provider_vouches_for_counts():
    mine = "s@clinic.example"
    for verified in (False, None, "true", 1, "false"):
        assert isinstance(decided(Role.READER, OPEN, signed_in(mine, email_verified=verified)), str)
    assert isinstance(decided(Role.READER, OPEN, SignIn({"email": mine})), str)
    for logged_in in (False, None, "true", 1):
        assert isinstance(decided(Role.READER, OPEN, signed_in(mine, is_logged_in=logged_in)), str)
    # Where people sign in, this machine's visitor does, too.
    assert isinstance(decided(Role.READER, Reached("127.0.0.1", HOSTS), SignIn({})), str)


def test_the_file_of_roles_is_read_anew_and_says_one_thing_of_each(tmp_path):
    assert read_roles("") == {}
    file = tmp_path / "roles.toml"
    file.write_text('[roles]\n"S@Clinic.example" = "steward"\n"a@clinic.example" = "analyst"\n')
    assert read_roles(str(file)) == ROLES
    for text in (
        "",
        "roles = 3",
        '[roles]\n"s@clinic.example" = "steward"\n[more]\n',
        '[roles]\n"s@clinic.example" = "owner"\n',
        '[roles]\n"s@clinic.example" = ["steward"]\n',
        '[roles]\n"secret" = "steward"\n',
        '[roles]\n"s@clinic.example" = "reader"\n"s@clinic.example" = "steward"\n',
        '[roles]\n"secret@clinic.example" = "reader"\n"SECRET@clinic.example" = "steward"\n',
        "[roles]\nsecret@clinic.example = 1\n",
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1") + "[roles",
    ):
        file.write_text(text, "utf-8")
        with pytest.raises(InvalidInput) as refusal:
            read_roles(str(file))
        assert "secret" not in str(refusal.value).lower()
    file.write_bytes(b"\xff\xfe")
    for place in (str(file), str(tmp_path / "nowhere"), str(tmp_path)):
        with pytest.raises(InvalidInput):
            read_roles(place)
