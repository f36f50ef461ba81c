"""The trust in peers that all partitions share: of a ledger on the server, read now and then."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from ....errors import PrefrontalError
from ....executive.trust_standings import TrustStandings
from ....ledger.ledger import Ledger
from ....ledger.location import FILE_NAME, file_name, ledger_path, with_folder
from ....settings.agent_file import read_agent_config, workspace_folder
from ....storage.postgres_url import PostgresUrl, read_link, write_link

if TYPE_CHECKING:
    from ....settings.executive import TrustSettings
    from ....storage.state_folder import StateFolder

EVERY_S = 10.0

log = logging.getLogger("prefrontal.partitions")


class SharedTrust:
    """Fills `standings` with what the ledger at `path` holds, from now on until `stop`.

    A ledger that cannot be read now leaves the trust as it was.
    """

    def __init__(self, settings: TrustSettings, path: Path, every_s: float = EVERY_S) -> None:
        self.standings = TrustStandings(settings)
        self._path = path
        self._every_s = every_s
        self._ended = Event()
        self._look()
        self._thread = Thread(target=self._run, name="prefrontal-trust", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(self._every_s):
            self._look()

    def _look(self) -> None:
        try:
            with Ledger(self._path, read_only=True) as ledger:
                self.standings.load(ledger.standings())
        except PrefrontalError as error:
            log.warning("the trust in peers cannot be read now: %s", error)


def shared_ledger(file: str | None) -> PostgresUrl | None:
    """The ledger on a server of the agent that the settings `file` configures; None where it has
    none. One in a file is left out with a warning: other machines have another.
    """
    config = read_agent_config(file, keys={"workspace", "ledger"})
    path = ledger_path(file_name(config), workspace_folder(None, config))
    if not isinstance(path, Path) or not path.exists():
        return None
    if (url := read_link(path)) is None:
        log.warning(
            "the trust in %s is left out, since other machines do not have it: `prefrontal storage"
            " migrate` moves it to the server",
            path,
        )
    return url


def ledger_link(state: StateFolder, url: PostgresUrl) -> Path:
    """A file of this machine that names that ledger. Raises SourceError."""
    path = with_folder(Path(state.path) / "partitions" / FILE_NAME)
    if read_link(path) != url:
        write_link(path, url)
    return path
