"""What a browser says that the server must not hear."""

from __future__ import annotations

import pytest
from starlette.types import Message
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.server.requests import AccessControl

HOST = b"localhost:8501"


def heard(*said):
    """What the application behind the access control gets of all that a browser says."""
    got: list[bytes] = []
    waiting: list[Message] = [{"type": "websocket.connect"}]
    for one in said:
        if isinstance(one, str):
            waiting.append({"type": "websocket.receive", "text": one})
            continue
        data = one if isinstance(one, bytes) else one.SerializeToString()
        waiting.append({"type": "websocket.receive", "bytes": data})
    waiting.append({"type": "websocket.disconnect", "code": 1000})

    async def application(scope, receive, send):
        while (message := await receive())["type"] != "websocket.disconnect":
            if message["type"] == "websocket.receive":
                got.append(message["bytes"])

    async def receive():
        return waiting.pop(0)

    async def send(message):
        pytest.fail(f"refused: {message}")

    scope = {
        "type": "websocket",
        "path": "/_stcore/stream",
        "headers": [(b"host", HOST), (b"origin", b"http://" + HOST)],
    }
    # Nothing here waits, so no event loop is needed: one may be running already.
    with pytest.raises(StopIteration):
        AccessControl(application)(scope, receive, send).send(None)
    return got


def test_one_visitor_does_not_clear_what_all_wait_for():
    rerun, stop = BackMsg(), BackMsg(stop_script=True)
    rerun.rerun_script.query_string = "epsilon=3"
    clear, saving = BackMsg(clear_cache=True), BackMsg(set_run_on_save=True)
    expected = [rerun.SerializeToString(), stop.SerializeToString()]
    assert heard(rerun, clear, saving, stop) == expected
    assert heard(clear) == []


def test_what_is_no_message_is_not_heard():
    """Streamlit would print a traceback for each."""
    stop = BackMsg(stop_script=True)
    assert heard(b"\xff\xff\xff", stop) == [stop.SerializeToString()]
    assert heard("a text", stop) == [stop.SerializeToString()]
    assert heard(b"") == [b""]  # a message that asks for nothing
