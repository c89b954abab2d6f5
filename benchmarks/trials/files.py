"""Hostile files: damaged, inflated, mistyped, mislabelled; read, or refused in one sentence."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import struct
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.trials import published
from benchmarks.trials.trial import Limits, Tally, TrialOutcome, print_progress, run_in_fork
from dpcore.datasets.faults import MAX_FAULTS

COLUMNS = "age: 18 to 90 years\nsmoker: one of no, yes\nbmi: 15 to 50; unknown: NA\n"
PREDICTS = (
    "predict progression: 0 to 350",
    "predict ward: one of a, b",
    "predict w: one of a, b, c",
)
KINDS = ("f2", "f4", "i1", "u8", "c16", "bool", "S3", "U7", ">f8", "g")
LINES = (
    *("age", ":", "a:", ": 1 to 2", "predict: 1 to 2", "predict x: one of a", "x: 2 to 1"),
    *("x: 1 to 1e999", "x: nan to inf", "x: 1e8 to 1e10", "x: one of a, a", "x: one of"),
    *("x: one of " + "a" * 3_000, "x" * 100 + ": 1 to 2", "=1+1: 1 to 2", "\u202ex: 1 to 2"),
    *("<a href='//evil.example'>: 1 to 2", "x: 1 to 2 <b>", "x: 1 to 2; unknown: \x00"),
    "x: one of " + ", ".join(map(str, range(2_000))),
)
READERS = ("features", "own", "form", "described", "published", "idx", "state", "command")
CELLS = (
    *("nan", "inf", "-inf", "1e999", "1e9", "-0", "", " ", "NA", "=1+1", "+1", "@SUM(A1)", "-1+1"),
    *("<script>", "0x10", "1_0", "٣", "1,2", '"', '""', "'", "\ufeff", "a" * 20_000, "\\", "18"),
)
CODECS = ("utf-8", "utf-16", "utf-32", "latin-1", "utf-8-sig", "cp1252")


def _array(draw: random.Random, rows: int, wide: bool) -> np.ndarray:
    """A valid array, or one of another type or shape."""
    generator = np.random.default_rng(draw.randrange(2**32))
    kind = draw.random()
    good = generator.normal(size=(rows, 5)) if wide else np.arange(rows) % 3
    if kind < 0.55:
        return good
    return draw.choice(
        [
            good.astype(draw.choice(KINDS)),
            np.full(good.shape, draw.choice([np.nan, np.inf, -np.inf, 1e300, -1e39])),
            good[:0],
            good.reshape(-1),
            good[None],
            np.array(good[0]),
            np.zeros((rows, 0)),
            np.array([{"a": 1}], dtype=object),
            np.zeros(rows, dtype="M8[s]"),
            np.zeros(rows, dtype=[("a", "f4"), ("b", "i4")]),
            np.full(rows, draw.choice([-1, 2**40, 2**62])),
            np.asfortranarray(np.zeros((rows, 7))),
            np.zeros((0, 3)),
        ]
    )


def _header(draw: random.Random) -> bytes:
    """The beginning of an .npy file with a false header."""
    header = draw.choice(
        [
            "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4611686018427387904), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 8), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 8), }",
            "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<U1000000000', 'fortran_order': False, 'shape': (1,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (True, 8), }",
            "{'descr': [('a', '<f8')] * 9, 'fortran_order': False, 'shape': (1,), }",
            "(" * 900,
            "[" * 5_000 + "]" * 5_000,
            "__import__('os').system('true')",
            "{'descr': '<f8'}",
            "",
        ]
    ).encode()
    length = draw.choice([len(header), 0, 2**16 - 1, len(header) + 7])
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", min(length, 2**16 - 1)) + header


def features(draw: random.Random) -> bytes:
    """An .npz file with features and labels, or something like it."""
    buffer = io.BytesIO()
    warnings.simplefilter("ignore", UserWarning)  # of two members of one name
    compression = draw.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for part, rows in (("train", 20), ("test", 8)):
            for what, wide in (("features", True), ("labels", False)):
                name = f"{part}_{what}"
                if draw.random() < 0.04:
                    continue
                if draw.random() < 0.05:
                    others = ["../" + name, "/" + name, name * 200, "a\x00b", name.upper()]
                    name = draw.choice(others)
                member = io.BytesIO()
                chance = draw.random()
                if chance < 0.06:
                    member.write(_header(draw))
                elif chance < 0.09:  # a bomb
                    np.save(member, np.zeros((draw.choice([10**6, 3 * 10**6]), 8)))
                else:
                    np.save(member, _array(draw, rows, wide), allow_pickle=True)
                archive.writestr(f"{name}.npy", member.getvalue())
        if draw.random() < 0.3:
            member = io.BytesIO()
            np.save(
                member, np.array(draw.choice([["a", "b", "c"], ["<b>", "=1", "c" * 500], [1, 2]]))
            )
            archive.writestr("names.npy", member.getvalue())
    return buffer.getvalue()


def table(draw: random.Random, predicted: str) -> bytes:
    """A table as described, but with some wrong cells, rows or header."""
    name = predicted.removeprefix("predict ").partition(":")[0]
    header = ["id", "age", "smoker", "bmi", name]
    rows = [
        [str(i), str(18 + i % 70), ("no", "yes")[i % 2], str(15 + i % 30), "abc"[i % 2]]
        for i in range(draw.choice([0, 1, 2, 30, 300]))
    ]
    if name == "progression":
        rows = [[*row[:-1], str(7 * int(row[0]) % 350)] for row in rows]
    for _ in range(draw.choice([0, 0, 1, 1, 3])):
        if rows:
            draw.choice(rows)[draw.randrange(5)] = draw.choice(CELLS)
    if draw.random() < 0.1:
        header[draw.randrange(5)] = draw.choice(["age", "", "=1+1", "x" * 3_000, '"', "<a href=x>"])
    if draw.random() < 0.05 and rows:
        draw.choice(rows).extend(["1"] * draw.choice([1, 1_000]))
    between, ends = draw.choice([",", ",", ";", "\t", "|"]), draw.choice(["\n", "\r\n", "\r"])
    text = ends.join(between.join(row) for row in [header, *rows])
    if draw.random() < 0.05:
        text = draw.choice([text + "\0", '"' + text, text * 200, "\n" * 10_000 + text, text[:-1]])
    return text.encode(draw.choices(CODECS, (12, 1, 1, 1, 1, 1))[0], errors="replace")


def description(draw: random.Random) -> str:
    """A description of columns, mostly valid."""
    lines = (COLUMNS + draw.choice(PREDICTS)).splitlines()
    for _ in range(draw.choice([0, 1, 2])):
        lines[draw.randrange(len(lines))] = draw.choice(LINES)
    return "\n".join(lines)


def packed(draw: random.Random) -> bytes:
    """A gzip file in idx format, or something like it."""
    shape = draw.choice([(3, 4, 4), (0, 4, 4), (2**32 - 1,) * 3, (5,), (10**5, 28, 28)])
    count = draw.choice([48, 80, 0, 5, 10**7])
    head = struct.pack(">HBB", draw.choice([0, 0, 1]), draw.choice([8, 8, 9]), len(shape))
    return gzip.compress(head + struct.pack(f">{len(shape)}I", *shape) + bytes(count), 1)


def state(draw: random.Random) -> bytes:
    """The state of a stopped training, or something like it."""
    import torch

    content = draw.choice(
        [
            {"of": "x", "studies": [{"config": {}, "dataset": "digits"}], "state": {}},
            {"of": 1, "studies": 1, "state": None},
            [1, 2],
            {"studies": [{"config": {"epochs": float("nan")}}]},
            {"studies": [{"config": {"network": "x" * 9_000, "widths": ()}, "runs": 10**12}]},
            torch.zeros(3),
        ]
    )
    buffer = io.BytesIO()
    torch.save(content, buffer)
    others = [json.dumps({"studies": []}).encode(), b"", b"\x80\x04."]
    return draw.choice([buffer.getvalue()] * 3 + others)


def damaged(draw: random.Random, data: bytes) -> bytes:
    """The file, now and then cut short, overwritten in places, or with more after its end."""
    chance = draw.random()
    if chance < 0.6 or not data:
        return data
    if chance < 0.75:
        return data[: draw.randrange(len(data))]
    if chance < 0.9:
        changed = bytearray(data)
        for _ in range(draw.choice([1, 3, 20])):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        return bytes(changed)
    return data + draw.randbytes(draw.choice([1, 1_000, 100_000]))


def _work(reader: str, draw: random.Random, folder: Path) -> Callable[[], object]:
    """A function that reads one random file, which is drawn before."""
    from dpcore.cli import main
    from dpcore.datasets import read_upload
    from dpcore.datasets.images import array_files
    from dpcore.datasets.images.sets import features_npz
    from dpcore.datasets.own import form
    from dpcore.datasets.own.description import described
    from dpcore.evaluation.training import checkpoint

    name = draw.choice(["mine", "=1+1", "<b>x</b>", "n" * 300, "../../x", "\u202e", "a\nb"])
    columns = description(draw)
    predicted = next((x for x in columns.splitlines() if x.startswith("predict ")), PREDICTS[0])
    if reader == "features":
        data = damaged(draw, features(draw))
        return lambda: features_npz.decode(data, name)
    if reader == "idx":
        data = damaged(draw, packed(draw))
        return lambda: array_files.read_idx(data, name, draw.choice([1, 3]))
    if reader == "state":
        data = damaged(draw, state(draw))
        return lambda: checkpoint.described(data)
    if reader == "published":
        key = draw.choice(published.SETS)
        return lambda: published.altered(draw, key, lambda whole: damaged(draw, whole))
    if reader == "described":
        return lambda: described(columns)
    data = damaged(draw, table(draw, predicted))
    if reader == "form":
        return lambda: form.form("", form.look(data, name))
    if reader == "command":
        (folder / "table").write_bytes(data)
        (folder / "columns").write_bytes(damaged(draw, columns.encode()))
        line = "sweep --dataset own --table table --columns columns --epsilon 1 --runs 2 --methods"
        return lambda: main([*line.split(), draw.choice(["adassp", "outpert"])])
    return lambda: read_upload("own", data, name, columns)


def fault(outcome: TrialOutcome) -> str:
    """The fault of reading a file; empty if there is none."""
    refusal = outcome.err
    if outcome.code is None:
        return "it took too long"
    if outcome.code not in (0, 2) or "Traceback" in refusal:
        return f"exit {outcome.code}: {(refusal.strip().splitlines() or ['nothing'])[-1][:300]}"
    sentences = refusal.splitlines()
    if outcome.code == 2 and not all(each.endswith(".") for each in sentences):
        return f"not whole sentences: {refusal[:300]!r}"
    if len(sentences) > MAX_FAULTS + 1:
        return f"{len(sentences)} sentences: {refusal[:200]!r}"
    if any(len(each) > 1_000 for each in sentences):
        return f"a sentence of more than 1,000 letters: {refusal[:200]!r}"
    return ""


def run_trials(number: int, seed: int = 0, limits: Limits | None = None) -> Tally:
    """Draw, read and judge random files."""
    import torch  # noqa: F401  loaded once, before any fork

    import dpcore.evaluation.sweep  # noqa: F401
    from dpcore.errors import InvalidInput

    tally, started = Tally(), time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        for done in range(number):
            draw, reader = random.Random(f"{seed} {done}"), READERS[done % len(READERS)]
            folder = Path(place) / str(done)
            folder.mkdir()
            work = _work(reader, draw, folder)

            def read(work: Callable[[], object] = work, folder: Path = folder) -> int:
                os.chdir(folder)
                try:
                    answer = work()
                except InvalidInput as refusal:
                    print(refusal, file=sys.stderr)
                    return 2
                return answer if isinstance(answer, int) else 0

            outcome = run_in_fork(read, limits or Limits(mebibytes=1_024))
            verdict = "read" if outcome.code == 0 else "refused"
            tally.note(f"{reader} {seed} {done}", verdict, fault(outcome), outcome.mebibytes)
            print_progress(number, "files", started, done + 1)
    return tally
