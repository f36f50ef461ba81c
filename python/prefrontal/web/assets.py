"""The page's files, read once: ours, and those of htmx and uPlot."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files

KINDS = {".css": "text/css", ".js": "text/javascript", ".txt": "text/plain"}
NAMES = (
    *("dash.css", "uplot.min.css"),
    *("regions.js", "stream.js", "dash.js", "curve.js", "htmx.min.js", "uplot.min.js"),
    *("LICENSE-htmx.txt", "LICENSE-uPlot.txt"),
)


@dataclass(frozen=True, slots=True)
class Assets:
    """Name -> content. version: another one when any of them is another."""

    contents: dict[str, bytes]
    version: str

    def addresses(self) -> dict[str, str]:
        """Where each is, by its name with _ for a dot: "dash_css", "htmx_js"."""
        return {
            name.replace(".min", "").replace(".", "_"): f"/static/{name}?v={self.version}"
            for name in self.contents
            if not name.endswith(".txt")
        }


def read_assets() -> Assets:
    """What the package ships."""
    folder = files(__package__) / "static"
    contents = {name: (folder / name).read_bytes() for name in NAMES}
    digest = hashlib.sha256(b"".join(contents.values())).hexdigest()
    return Assets(contents, digest[:12])


def kind_of(name: str) -> str:
    """The media type of one of the files."""
    return next(kind for ending, kind in KINDS.items() if name.endswith(ending))
