"""What tests of pages share: components are looked for once."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from streamlit.components.v2 import manifest_scanner


@pytest.fixture(scope="session", autouse=True)
def components_looked_for_once() -> Iterator[None]:
    """Read the metadata of all installed packages once.

    Each new `AppTest` looks for components among them, 0.1 s that a server takes only at its start.
    """
    scan = functools.cache(manifest_scanner.scan_component_manifests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield
