"""docs/reference/configuration.md, from the models that read prefrontal.yml."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prefrontal.settings.agent_file import AGENT_KEYS
from prefrontal.settings.cortex import CortexSettings
from prefrontal.settings.models import Settings
from reference_agent_keys import AGENT_SECTIONS
from reference_fields import Key, keys_of, summary_of

HEAD = """\
<!-- Written by scripts/make_references.py from the models; do not edit. -->

# prefrontal.yml, key by key

One file serves all commands. Every key is optional; a key that nobody knows is refused with the
nearest one, a value that cannot be used with the rule it breaks. Paths are relative to the file.
*none* as a default means that nothing is set.

- **The keys of the gate and the router** ([below](#the-gate-the-router-and-what-joins-them))
  are read from the file that `--config` names. Without it each command reads `./prefrontal.yml`,
  else `~/.prefrontal/prefrontal.yml`, but for three: `adopt` writes into the first of these, and
  `route` and `mcp` read the second alone, for they may be started in a stranger's folder. The
  environment stands in front of the file, the command line in front of both. A variable is
  `PREFRONTAL_` and the path in capitals with two underscores for each dot: `sources.stdin` is
  `PREFRONTAL_SOURCES__STDIN`. A list or a mapping is JSON: `PREFRONTAL_SOURCES='{"git":
  ["."]}'`. An empty one sets nothing. The keys of `gate` may also stand at the top, in the file
  (`recall: 0.9`) and as variables (`PREFRONTAL_RECALL`), but not in both places.
- **The keys of the agent** ([below](#the-agent)) are read by `prefrontal agent`, `ledger`, `cortex`
  and `memory` from `~/.prefrontal/prefrontal.yml`, then from `./prefrontal.yml`, which stands in
  front key by key. In their texts `${NAME}` and `${NAME:-default}` come from the environment.

Variables besides: `PREFRONTAL_STATE` (the folder of `--state`), `PREFRONTAL_HOME` (the folder of
`--workspace`), `PREFRONTAL_ISA` (`scalar`, `base`, `v3`, `v4`: the instruction set of the compiled
core; all give the same bits), `PREFRONTAL_TRACEBACK=1` (shows where a defect of ours happened),
`NO_COLOR=1` and `TERM=dumb` (no colours).
"""
GATE = """
## The gate, the router, and what joins them

"""
AGENT = """
## The agent

"""
CORTEX_NOTE = """\
Each of these can be changed while the agent runs; it takes effect at the next cycle.
`reflection_interval` is another name of `schedule_minutes`. `triggers` may carry thresholds:
`[timer: 15, interaction_count: 5]`.
"""


def page() -> str:
    """The whole page."""
    gate = [key for key in keys_of(Settings) if key.name not in AGENT_KEYS]
    parts = [HEAD, GATE, _table(gate)]
    parts += _below("", gate, environment=True)
    parts.append(AGENT)
    for title, note, keys in AGENT_SECTIONS:
        parts.append(_section(title, note, list(keys())))
    cortex = list(keys_of(CortexSettings))
    parts.append(_section("cortex", f"{summary_of(CortexSettings)} {CORTEX_NOTE}", cortex))
    parts += _below("cortex", cortex, environment=False)
    return "".join(parts)


def _below(path: str, keys: Iterable[Key], *, environment: bool) -> Iterator[str]:
    """The sections of the mappings below these keys, each followed by its own."""
    for key in keys:
        if key.inner is None:
            continue
        inner = key.inner
        here = f"{path}.{key.name}" if path else key.name
        title = f"{here}[]" if key.listed else f"{here}.NAME" if key.named else here
        inside = list(keys_of(inner))
        in_list = key.listed or key.named or "[]" in path
        yield _section(title, summary_of(inner), inside, environment=environment and not in_list)
        yield from _below(title, inside, environment=environment and not in_list)


def _section(title: str, note: str, keys: list[Key], *, environment: bool = False) -> str:
    told = f"{note.strip()}\n\n" if note.strip() else ""
    if environment:
        prefix = f"PREFRONTAL_{title.replace('.', '__').upper()}__"
        example = f"{prefix}{keys[0].name.upper()}"
        told += f"Variables: `{prefix}` and the key in capitals, such as `{example}`.\n\n"
    return f"\n### `{title}`\n\n{told}{_table(keys)}"


def _table(keys: list[Key]) -> str:
    """A row for each key."""
    rows = [
        [f"`{key.name}`", key.kind, key.default, key.meaning[:1].upper() + key.meaning[1:]]
        for key in keys
    ]
    lines = [["key", "what it takes", "default", "meaning"], ["---"] * 4, *rows]
    return "".join(f"| {' | '.join(_cell(each) for each in line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ") or " "
