"""`prefrontal completion`: the script by which a shell completes the command."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
}
VARIABLE = "_PREFRONTAL_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)), metavar="bash|zsh|fish")
def completion(shell: str) -> None:
    """Print the script by which a shell completes commands, options, names and ids.

    \b
      eval "$(prefrontal completion bash)"       in ~/.bashrc
      eval "$(prefrontal completion zsh)"        in ~/.zshrc, after compinit
      prefrontal completion fish | source        in ~/.config/fish/config.fish

    An installation has the scripts in share/, too, where package managers look for them.
    """
    click.echo(script(shell), nl=False)


def script(shell: str) -> str:
    """The script for one of SHELLS. It calls the command again for each completion."""
    from . import main

    complete = SHELLS[shell](main, {}, "prefrontal", VARIABLE)
    text = complete.source_template % complete.source_vars()
    return "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"
