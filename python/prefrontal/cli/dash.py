"""`prefrontal dash`: the live page."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import SourceError
from ..http_door import CommandDoor
from ..interrupts import leave_after, leaving_at_once
from .http_token import HttpToken, http_token, server_options

if TYPE_CHECKING:
    from ..storage.state_folder import StateFolder

NEEDS_EXTRA = "this command needs a web server: pip install 'prefrontal[web]'"


@click.command()
@server_options(port=8768)
@click.option(
    "--name",
    "names",
    metavar="NAME",
    multiple=True,
    help="Another name by which browsers may open the page, as that of a proxy; may be repeated.",
)
@click.option(
    "--prices", metavar="FILE", type=click.Path(), help="What a wake-up costs, as for replay."
)
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
def dash(
    config: str | None,
    state: str | None,
    workspace: str | None,
    names: tuple[str, ...],
    prices: str | None,
    opens: bool,
    **options: Any,
) -> None:
    """Show what the gate and the agent do, live; answer questions, move thresholds, pin beliefs.

    \b
      prefrontal dash --open
      prefrontal dash --host 0.0.0.0 --token-env DASH_TOKEN
    """
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise SourceError(NEEDS_EXTRA)
    with leaving_at_once():
        from ..replay.prices import USUAL_PRICES, read_prices
        from ..settings import load_settings
        from ..settings.agent_file import settings_file
        from ..storage.state_folder import StateFolder
        from ..web.dash_context import open_context
        from ..web.serving import serve_dash
        from .watch.module_files import given_modules

    settings = load_settings(settings_file(config))
    folder = StateFolder(state or settings.state_folder())
    host = options["host"]
    token = http_token(options["token_env"], options["token"], host, folder)
    door = CommandDoor(host, options["port"], token.secret)
    ready = partial(_ready, token, opens=opens, folder=folder)
    with open_context(
        settings,
        folder,
        [module for _, module in given_modules(settings, folder)],
        config=config,
        workspace=workspace,
        watcher=partial(watching_process, folder.path / "watch.lock"),
        prices=USUAL_PRICES if prices is None else read_prices(prices),
    ) as page:
        number = serve_dash(page, door, ready, names)
    leave_after(number)


def watching_process(lock: Path, locks: Path = Path("/proc/locks")) -> str | None:
    """The process that holds the lock of a watch, by the kernel's list of locks; None when none
    does or there is no list. Trying the lock would now and then keep a watch from starting.
    """
    try:
        inode = f":{lock.stat().st_ino}"
        lines = locks.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    for kind, *_, process, place, _, _ in (line.split()[1:] for line in lines if "->" not in line):
        if kind == "FLOCK" and place.endswith(inode):
            return process
    return None


def _ready(token: HttpToken, address: str, *, opens: bool, folder: StateFolder) -> None:
    click.echo("\n".join([f"The page is {address}", *token.sentences(), "Ctrl-C stops."]), err=True)
    if opens:
        import webbrowser

        webbrowser.open(_private_link(folder, address) if token.secret else address)


def _private_link(folder: StateFolder, address: str) -> str:
    """A file that leads to the address: others see the words a browser is started with."""
    from ..storage.files import write_atomic

    folder.make()
    file = folder.path / "open-page.html"
    file.touch(mode=0o600)
    file.chmod(0o600)
    write_atomic(file, f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">\n')
    return file.absolute().as_uri()
