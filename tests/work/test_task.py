"""The file with an upload's records is read once, and never where another user put it there."""

import os
import pickle

import pytest

from dpcore.errors import InvalidInput
from dpcore.work.task import take_records


class Gift:
    """What makes a folder, once it is loaded."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


def test_records_are_read_once(tmp_path):
    path = tmp_path / "records"
    path.write_bytes(pickle.dumps([1, 2]))
    assert take_records(str(path)) == [1, 2]
    with pytest.raises(InvalidInput, match="are gone; hand the file over again"):
        take_records(str(path))


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owner here")
def test_a_file_that_another_user_put_there_is_not_loaded(tmp_path, monkeypatch):
    path, made = tmp_path / "records", tmp_path / "made"
    path.write_bytes(pickle.dumps(Gift(made)))
    me = os.geteuid()
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: me + 1)
        with pytest.raises(InvalidInput, match="nobody else may write to"):
            take_records(str(path))
    assert not made.exists()
    assert not path.exists()
