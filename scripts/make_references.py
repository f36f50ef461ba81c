"""Write what is made from the code and kept in the repository, or check that it is up to date:
docs/reference/, the hooks in docs/plugins.md, and in share/ the manual and the completion of the
shells.

python scripts/make_references.py [--check] [FOLDER]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import man_pages
import reference_commands
import reference_configuration
import reference_hooks
from prefrontal.cli.completion import script

FOLDER = Path(__file__).resolve().parent.parent
MANUAL = "share/man/man1"
PLUGINS = "docs/plugins.md"
COMPLETIONS = {
    "share/bash-completion/completions/prefrontal": "bash",
    "share/fish/vendor_completions.d/prefrontal.fish": "fish",
    "share/zsh/site-functions/_prefrontal": "zsh",
}


def pages() -> dict[str, str]:
    """Path in the repository -> what stands there."""
    return {
        "docs/reference/cli.md": reference_commands.page(),
        "docs/reference/configuration.md": reference_configuration.page(),
        PLUGINS: reference_hooks.page((FOLDER / PLUGINS).read_text(encoding="utf-8")),
        **{f"{MANUAL}/{name}": text for name, text in man_pages.pages().items()},
        **{path: script(shell) for path, shell in COMPLETIONS.items()},
    }


def outdated(folder: Path) -> list[str]:
    """The pages that differ from what would be written now, and those of commands that are gone."""
    now = pages()
    return [path for path, text in now.items() if _text(folder / path) != text] + _gone(folder, now)


def write(folder: Path) -> None:
    """Write every page, and remove those of commands that are gone."""
    now = pages()
    for path, text in now.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    for path in _gone(folder, now):
        (folder / path).unlink()


def _gone(folder: Path, now: dict[str, str]) -> list[str]:
    there = [f"{MANUAL}/{path.name}" for path in sorted((folder / MANUAL).glob("*"))]
    return [path for path in there if path not in now]


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write the references, or check them.")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when out of date")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    told = parser.parse_args(arguments)
    if not told.check:
        write(told.folder)
        return 0
    old = outdated(told.folder)
    for path in old:
        sentence = "is out of date: python scripts/make_references.py"
        print(f"{told.folder / path} {sentence}", file=sys.stderr)
    if not old:
        print("docs/reference, share: up to date")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
