"""Who reaches the server that the README's command starts, and whom the server calls."""

import ast
import ipaddress
import socket
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from pages.server.requests import HEADERS, POLICY
from tests.browser.waiting import idle

pytestmark = pytest.mark.slow("drives a browser")
EVIL = "evil.example"
# In closed form: the network is not trained behind what Explore trains.
CHEAP = "methods=OPERA&focus=OPERA"
PAGES = ("plan", "train?passes=2&units=8&repeats=1", "atlas", "learn", "release")


def answered(server, path="/_stcore/stream", **headers):
    """The status that a request is answered with; 101 for a websocket that is let in."""
    lines = {"Host": f"127.0.0.1:{server.port}", **headers}
    if path == "/_stcore/stream":
        lines |= {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version": "13",
        }
    text = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\n{text}\r\n".encode())
        return int(line.recv(1000).split()[1])


def test_nobody_but_this_machine_reaches_it(server):
    # Every address in 127/8 is this machine's: a server that listens on all of them answers here.
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", server.port), timeout=5)
    assert answered(server, "/_stcore/health") == 200


def test_every_answer_tells_the_browser_to_ask_nobody_else(server):
    for path in ("/", "/plan", "/_stcore/health", "/nowhere"):
        request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}")
        try:
            result = urllib.request.urlopen(request, timeout=20).headers
        except urllib.error.HTTPError as refused:
            result = refused.headers
        for name, value in HEADERS.items():
            assert result.get_all(name) == [value]
    assert "http" not in POLICY
    assert "*" not in POLICY


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_page_of_its_own_is_let_in(server, name):
    host = f"{name}:{server.port}"
    assert answered(server, Host=host, Origin=f"http://{host}") == 101
    assert answered(server, Host=host) == 101


@pytest.mark.parametrize(
    "named",
    [
        {"Host": EVIL, "Origin": f"http://{EVIL}"},
        {"Host": f"{EVIL}:8501", "Origin": f"http://{EVIL}:8501"},
        {"Origin": f"http://{EVIL}"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
    ],
)
def test_a_page_from_elsewhere_gets_no_websocket(server, named):
    assert answered(server, **named) == 403


def test_a_strange_name_for_this_machine_gets_nothing(server):
    for path in ("/", "/_stcore/health", "/_stcore/host-config"):
        assert answered(server, path, Host=f"{EVIL}:{server.port}") == 400
    # Nobody reads what others do.
    for path in ("/_stcore/metrics", "/_stcore/metrics/"):
        assert answered(server, path) == 404


def test_an_upload_from_elsewhere_is_refused(server):
    request = urllib.request.Request(
        f"{server.address}/_stcore/upload_file/one/two",
        data=b"age\n1\n",
        headers={"Origin": f"http://{EVIL}"},
        method="PUT",
    )
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(request, timeout=20)


def test_a_fresh_server_answers_the_page_by_its_name_and_no_call_leaves_the_machine(hasty, tab):
    # The first test that asks this server for a page.
    server, page = hasty.server, tab
    answered(server, Origin=f"http://{EVIL}")
    answered(server, Host=EVIL, Origin=f"http://{EVIL}")
    page.goto(f"{server.address}/explore?{CHEAP}&loss=Huber+SVM")
    expect(page).to_have_title("What does it cost? · Epsilon Explorer")
    expect(page.get_by_text("Huber SVM, trained on 3 000 records")).to_be_visible()
    expect(page.get_by_test_id("stSidebarLogo")).to_be_visible()
    # What runs is pages/main.py with its own navigation, not one that Streamlit found.
    expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    for path in PAGES:
        page.goto(f"{server.address}/{path}")
        idle(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        if path.startswith("train"):
            # A worker's calls are recorded, too.
            expect(page.get_by_text("Trained.")).to_be_visible()
    page.goto("about:blank")
    noted = [line.split("\t", 1) for line in hasty.calls.read_text("utf-8").splitlines()]
    assert ["begun", ""] in noted
    assert [one for one in noted if one[0] != "begun" and not _stays_here(one[1])] == []


def _stays_here(written):
    """Whether an address, as it was noted, is this machine's."""
    called = ast.literal_eval(written)
    if isinstance(called, tuple):
        called = called[0]
    if called is None or isinstance(called, bytes) or called in ("", "localhost"):
        return True
    if called.startswith(("/", "\0")):  # a socket in the file system
        return True
    try:
        return ipaddress.ip_address(called).is_loopback
    except ValueError:
        return False
