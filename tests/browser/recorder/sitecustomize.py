"""In a process with this folder on PYTHONPATH: notes every address that is looked up or called."""

import os
import sys

WATCHED = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
    "socket.gethostbyaddr": 0,
}
_notes = os.open(os.environ["CALLS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def _note(event, given):
    if event in WATCHED:
        os.write(_notes, f"{event}\t{given[WATCHED[event]]!r}\n".encode())


sys.addaudithook(_note)
os.write(_notes, b"begun\t\n")
