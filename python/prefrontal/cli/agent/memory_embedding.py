"""`prefrontal memory embed`: vectors of what was said before an embedding model was configured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ...errors import InputError
from ...plural import many
from ..answers import answer, json_option
from ..workspace import home_options

if TYPE_CHECKING:
    from ...settings.home import Home


@click.command(short_help="Vectors of messages, to find them by what they mean.")
@click.option("--remove", is_flag=True, help="Delete all vectors instead, to the last byte.")
@json_option
@home_options("memory")
def embed(remove: bool, as_json: bool, home: Home) -> None:
    """Have the model of memory.embeddings compute a vector of each message that has none.

    A running agent does so for what is said from then on; this does it for what was said before,
    the newest first, also while an agent runs. Interrupted, it goes on where it was. Vectors of
    another model are deleted.

    \b
      prefrontal memory embed
      prefrontal memory embed --remove
    """
    from ...runtime.conversation.store import ConversationStore, conversations_path

    path = conversations_path(home.folder)
    if not path.exists():
        raise InputError(f"messages must be there to be embedded, {path} does not exist yet")
    if remove:
        with ConversationStore(path) as store:
            count = store.erase_vectors()
        answer(as_json, {"removed": count}, f"Removed {many(count, 'vector')}.")
        return
    from ...runtime.conversation.semantics import configured

    semantics = configured(home.config)
    if semantics is None:
        raise InputError(
            "memory.embeddings.provider must name who computes vectors, got none"
            " (docs/memory.md shows a model)"
        )
    with ConversationStore(path) as store:
        total, before = store.vector_counts(semantics.name)
        with _bar(total - before, as_json) as step:
            last, known = semantics.embed_old(store), before
            while last is not None:
                count = store.vector_counts(semantics.name)[1]
                step(count - known)
                last, known = semantics.embed_old(store, last), count
        total, count = store.vector_counts(semantics.name)
    done = {"model": semantics.name, "added": count - before, "vectors": count, "messages": total}
    added = many(count - before, "vector")
    verb = "has" if count == 1 else "have"
    words = f"Added {added} by {semantics.name}; of {many(total, 'message')} {count:,} {verb} one."
    answer(as_json, done, words)


@contextmanager
def _bar(total: int, as_json: bool) -> Iterator[Callable[[int], object]]:
    """Messages that were embedded, on standard error of a terminal."""
    if as_json:
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("messages", total=total)
        yield lambda count: bar.advance(task, count)
