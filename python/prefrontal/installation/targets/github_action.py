"""GitHub: a workflow in which the AI reviewer runs only on a push that may need it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from zlib import crc32

from ...errors import InputError
from ..places import FilePlace
from ..target import InstallTarget
from ..whole_file import MARK, WholeFile

FOLDER = Path(".github/actions/prefrontal")
_TEXT = """\
# {mark} github-action`; `prefrontal uninstall github-action` takes it away.
name: review
on:
  push:
permissions:
  contents: read
jobs:
  gate:
    runs-on: ubuntu-latest
    outputs:
      run: ${{{{ steps.gate.outputs.run }}}}
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0 # the gate learns from the whole history
      - id: gate
        uses: ./{folder}
        with:
          recall: "{recall}"
          install: "" # what pip installs: a wheel in this repository, or git+https://...
  review:
    needs: gate
    if: needs.gate.outputs.run != 'false'
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: echo "your AI reviewer stands here"
"""


def github_action(repository: Path, recall: float) -> InstallTarget:
    """Raises InputError for a folder that is no work tree of git."""
    if not (repository / ".git").exists():
        raise InputError(f"DIR must be the top of a git repository, got {str(repository)!r}")
    workflow = repository / ".github" / "workflows" / "prefrontal.yml"
    action = repository / FOLDER / "action.yml"
    text = _TEXT.format(mark=MARK, folder=FOLDER, recall=f"{recall:g}")
    return InstallTarget(
        name="github-action",
        key=f"github-action-{crc32(str(repository).encode()):08x}",
        title="GitHub Actions",
        pieces=[
            (FilePlace(path), WholeFile(str(path), content))
            for path, content in ((workflow, text), (action, action_text()))
        ],
        following=[("git add .github", "once your reviewer stands in its second job")],
    )


def action_text() -> str:
    """The action as it lies in a repository that uses it."""
    text = files(__package__).joinpath("action.yml").read_text(encoding="utf-8")
    return f"# {MARK} github-action`; `prefrontal uninstall github-action` takes it away.\n{text}"
