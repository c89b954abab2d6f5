"""The link of a class: an address that phones reach, or none; and its QR code."""

from urllib.parse import urlsplit

import pytest

from pages.learn import reach


@pytest.mark.parametrize(
    ("url", "listens_on", "allowed", "host"),
    [
        ("http://localhost:8501/learn", "127.0.0.1", ["localhost"], None),
        ("http://localhost:8501/learn", "0.0.0.0", ["localhost"], None),
        ("http://localhost:8501/learn", "0.0.0.0", ["localhost", "10.0.0.7"], "10.0.0.7:8501"),
        ("http://localhost:8501/learn", "0.0.0.0", ["explorer.example"], "explorer.example:8501"),
        ("http://127.0.0.1:8501/learn", "", ["*"], "10.0.0.7:8501"),
        ("https://explorer.example/a/learn?x=1", "127.0.0.1", [], "explorer.example"),
    ],
)
def test_a_class_s_link_is_one_that_phones_reach(monkeypatch, url, listens_on, allowed, host):
    options = {"server.address": listens_on, "server.allowedHosts": allowed}
    monkeypatch.setattr(reach.st, "get_option", options.__getitem__)
    monkeypatch.setattr(reach, "is_host_allowed", lambda name: "*" in allowed or name in allowed)
    monkeypatch.setattr(reach, "own_address", lambda: "10.0.0.7")
    monkeypatch.setattr(type(reach.st.context), "url", url)
    parts = urlsplit(reach.link("KTRM"))
    assert (parts.netloc or None) == host
    assert parts.query == ("class_code=KTRM" if host else "")


def test_a_qr_code_is_black_on_white_with_its_quiet_zone():
    drawn = reach.picture("http://10.0.0.7:8501/learn?class_code=KTRM")
    assert drawn.startswith("<svg ")
    assert "#fff" in drawn
