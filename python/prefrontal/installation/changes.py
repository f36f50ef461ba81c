"""From a target to what changes where, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from ..errors import PrefrontalError, SourceError
from .own_part import taken_out
from .places import FilePlace, TextPlace, remove_folders
from .receipts import InstallReceipt, ReceiptEntry, ReceiptFolder
from .target import InstallTarget, Piece
from .whole_file import WholeFile

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TextChange:
    """One place. now, then: its text; None for nothing. original: as it was before we came. edited:
    somebody changed it since."""

    place: TextPlace
    now: str | None
    then: str | None
    original: str | None = None
    note: str = ""
    edited: bool = False

    @property
    def is_one(self) -> bool:
        return self.now != self.then


def coming(target: InstallTarget, receipt: InstallReceipt | None) -> list[TextChange]:
    """What an installation changes. Raises InputError or SourceError; nothing is written yet."""
    return [_coming(piece, receipt or InstallReceipt()) for piece in target.pieces]


def _coming(piece: Piece, receipt: InstallReceipt) -> TextChange:
    place, part = piece
    now, entry = place.read(), receipt.entry(place.name)
    if isinstance(part, WholeFile) and entry and now not in (None, entry.after):
        return TextChange(
            place, now, now, entry.before, f"{place.name} was changed since, and stays."
        )
    original = now
    if entry is not None and now == entry.after:
        original = entry.before
    elif now is not None and part.has_own(now):
        known = (None, None) if entry is None else (entry.before, entry.after)
        original = taken_out(part, now, *known)
    return TextChange(place, now, part.with_own(original or ""), original, _followed(place))


def going(target: InstallTarget, receipt: InstallReceipt | None) -> list[TextChange]:
    """What taking it out changes."""
    return [_going(piece, receipt or InstallReceipt()) for piece in target.pieces]


def _going(piece: Piece, receipt: InstallReceipt) -> TextChange:
    place, part = piece
    now, entry = place.read(), receipt.entry(place.name)
    if now is None or not (part.has_own(now) or (entry and now == entry.after)):
        return TextChange(place, now, now)
    if entry is None:
        return TextChange(place, now, taken_out(part, now, None, None), None, _followed(place))
    if now == entry.after:
        return TextChange(place, now, entry.before, None, _followed(place))
    then = taken_out(part, now, entry.before, entry.after)
    rest = "the rest stays" if then is not None else "a copy of it stays"
    note = f"{place.name} was changed since; only what prefrontal wrote goes, {rest}."
    return TextChange(place, now, then, None, note, edited=True)


def _followed(place: TextPlace) -> str:
    if isinstance(place, FilePlace) and place.path.is_symlink():
        return f"{place.path} is a link; what it leads to, {place.target}, is written."
    return ""


def install(target: InstallTarget, changes: Sequence[TextChange], folder: ReceiptFolder) -> None:
    """Write the receipt, then the places, then the jobs; what was done is undone where one fails.

    Raises SourceError, also where a place is not as it was when the change was made out.
    """
    before = folder.read()
    _check(changes)
    commands = tuple(tuple(job.commands()) for job in target.jobs)
    entries = tuple(_entry(each, before) for each in changes)
    undo: list[Callable[[], object]] = [partial(_restore, folder, before)]
    try:
        folder.write(InstallReceipt(entries, commands))
        made: list[tuple[str, ...]] = []
        for each in changes:
            folders = each.place.write(each.then) if each.is_one else []
            made.append(tuple(folders))
            undo.append(partial(_unwrite, each, folders))
        folder.write(InstallReceipt(_with_folders(entries, made), commands))
        for job in target.jobs:
            if job.is_there():
                if before is not None and tuple(job.commands()) in before.jobs:
                    continue
                job.remove()
            job.add()
            undo.append(job.remove)
    except BaseException:
        for step in reversed(undo):
            with suppress(PrefrontalError):
                step()
        raise


def uninstall(
    target: InstallTarget, changes: Sequence[TextChange], folder: ReceiptFolder
) -> list[str]:
    """Take out jobs, then what was written, then the receipt.

    Returns where copies lie of files that go although somebody changed them.
    """
    _check(changes)
    receipt = folder.read() or InstallReceipt()
    copies = [
        str(folder.keep(each.place.name, each.now))
        for each in changes
        if each.edited and each.then is None and each.now is not None
    ]
    for job in target.jobs:
        if job.is_there():
            job.remove()
    for each in changes:
        if each.is_one:
            each.place.write(each.then)
    remove_folders([each for entry in receipt.entries for each in entry.folders])
    folder.remove()
    return copies


def _check(changes: Sequence[TextChange]) -> None:
    for each in changes:
        if each.place.read() != each.now:
            raise SourceError(f"{each.place.name} was changed meanwhile; nothing was written")


def _entry(change: TextChange, before: InstallReceipt | None) -> ReceiptEntry:
    assert change.then is not None
    earlier = before.entry(change.place.name) if before is not None else None
    if earlier is not None and not change.is_one:
        return earlier
    folders = earlier.folders if earlier is not None else ()
    return ReceiptEntry(change.place.name, change.original, change.then, folders)


def _with_folders(
    entries: Sequence[ReceiptEntry], made: Sequence[tuple[str, ...]]
) -> tuple[ReceiptEntry, ...]:
    pairs = zip(entries, made, strict=True)
    return tuple(ReceiptEntry(e.place, e.before, e.after, e.folders + more) for e, more in pairs)


def _restore(folder: ReceiptFolder, receipt: InstallReceipt | None) -> None:
    if receipt is None:
        folder.remove()
    else:
        folder.write(receipt)


def _unwrite(change: TextChange, folders: Sequence[str]) -> None:
    change.place.write(change.now)
    remove_folders(folders)
