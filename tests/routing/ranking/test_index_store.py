"""A kept index ranks as one built anew, and a damaged one is built anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prefrontal.routing.ranking.index_store import FEWEST_PHRASINGS, MOST_KEPT, IndexStore


def entries(seed: int = 0) -> list[dict[str, Any]]:
    words = ["invoice", "order", "matrix", "report", "image", "user"]
    return [
        {
            "key": f"{word}.py",
            "name": f"count_{word}",
            "doc": f"Count every {word}.",
            "intents": [f"how many {word}s in {word} {n + seed}" for n in range(FEWEST_PHRASINGS)],
        }
        for word in words
    ]


def test_a_kept_index_ranks_as_one_built_anew(tmp_path: Path) -> None:
    rejected = [("how many images are there", "image.py")]
    built = IndexStore(tmp_path / "cache").get(entries(), rejected)
    (kept,) = (tmp_path / "cache").iterdir()
    before = kept.stat().st_mtime_ns
    loaded = IndexStore(tmp_path / "cache").get(entries(), rejected)
    for prompt in ("how many images are there", "count the orders", "paint a fence"):
        assert loaded.rank(prompt, explain=True) == built.rank(prompt, explain=True)
    assert kept.stat().st_mtime_ns == before
    assert built.rank("how many images are there")[0].name != "image.py"


def test_other_tools_or_events_are_another_index(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    store.get(entries(), [])
    store.get(entries(), [("how many images", "image.py")])
    store.get(entries(1), [])
    assert len(list(tmp_path.iterdir())) == 3


def test_only_the_latest_are_kept(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    for seed in range(MOST_KEPT + 2):
        store.get(entries(seed), [])
    assert len(list(tmp_path.iterdir())) == MOST_KEPT


def test_a_damaged_index_is_built_anew_and_said(tmp_path: Path) -> None:
    IndexStore(tmp_path).get(entries(), [])
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:-9])
    store = IndexStore(tmp_path)
    assert store.get(entries(), []).rank("count the orders")[0].name == "order.py"
    assert "built anew" in store.note
    assert IndexStore(tmp_path).get(entries(), []).names()


def test_few_phrasings_are_not_kept(tmp_path: Path) -> None:
    few = [{"key": "a.py", "name": "a", "doc": "Do it.", "intents": ["do it"]}]
    assert IndexStore(tmp_path).get(few, []).names() == ["a.py"]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_leaves_a_note(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = IndexStore(tmp_path / "file" / "cache")
    assert store.get(entries(), []).names()
    assert "not kept" in store.note
