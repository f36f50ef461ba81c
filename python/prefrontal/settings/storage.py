"""The keys of prefrontal.yml below `storage`."""

from __future__ import annotations

from typing import Annotated

from .rules import SettingsGroup, Text, check

Partitions = Annotated[int, check("be a whole number in 1..256", lambda value: 1 <= value <= 256)]


class StorageSettings(SettingsGroup):
    """What processes on several machines share: `--partitions` of `prefrontal watch`.

    url: of the server, postgresql://[USER@]HOST[:PORT]/DATABASE[?schema=NAME], without a password.
    partitions: over how many the modules are spread; it stays as it was at the first start.
    """

    url: Text | None = None
    partitions: Partitions = 64
