"""The folder of a release, as whoever gets it finds it."""

from dpcore.release.files import new_folder, write


def test_no_time_in_the_folder_tells_how_long_a_training_took(tmp_path):
    output = tmp_path / "out"
    with new_folder(output) as hidden:
        write({"model.json": b"{}", "card.md": b"#"}, hidden, output)
    found = [output, *output.iterdir()]
    assert len(found) == 3
    assert {path.stat().st_mtime_ns % 60_000_000_000 for path in found} == {0}
