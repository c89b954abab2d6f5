"""Count what the house is made of: `python -m benchmarks.house`.

Code lines have no blank line, comment or docstring; lines of imports are import statements.
"""

from __future__ import annotations

import ast
import io
import json
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
QUIET = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def sources() -> list[Path]:
    """List the files of the program: package, pages and app."""
    folders = [path for name in ("dpcore", "pages") for path in (ROOT / name).rglob("*.py")]
    return sorted([*folders, ROOT / "app.py"])


def _docstrings(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """Give the first and last line of each string that stands alone."""
    for node in ast.walk(tree):
        is_constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_constant and isinstance(node.value.value, str):
            yield node.lineno, node.end_lineno or node.lineno


def counted(text: str) -> tuple[int, int, int]:
    """Count code lines, all lines and lines of imports."""
    tree = ast.parse(text)
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in QUIET:
            code.update(range(token.start[0], token.end[0] + 1))
    for first, last in _docstrings(tree):
        code.difference_update(range(first, last + 1))
    imports = sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    return len(code), len(text.splitlines()), imports


def main() -> None:
    """Print the counts as JSON."""
    files = sources()
    counts = [counted(path.read_text(encoding="utf-8")) for path in files]
    code, lines, imports = (sum(part) for part in zip(*counts, strict=True))
    print(
        json.dumps(
            {"code_lines": code, "lines": lines, "files": len(files), "import_lines": imports},
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
