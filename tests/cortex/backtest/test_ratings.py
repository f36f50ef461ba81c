"""Ratings and labels from files: what is read, and how a broken line is named."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from prefrontal.cortex.backtest.ratings import Rating, read_labels, read_ratings
from prefrontal.errors import InputError


def written(folder: Path, text: str, name: str = "ratings.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_ratings_come_in_the_order_of_their_times(tmp_path: Path) -> None:
    path = written(tmp_path, "6,2,4,20.5\n1,15,-10,10\n7,2,1,20.5\n")
    assert read_ratings(path) == [
        Rating("1", "15", -10, 10.0),
        Rating("6", "2", 4, 20.5),
        Rating("7", "2", 1, 20.5),
    ]


def test_a_gzip_file_with_a_header_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv.gz"
    path.write_bytes(gzip.compress(b"source,target,rating,time\n6,2,4,20.5\n\n"))
    assert read_ratings(path) == [Rating("6", "2", 4, 20.5)]


def test_labels_are_minus_one_or_one(tmp_path: Path) -> None:
    path = written(tmp_path, "user,label\n215,1\n2097,-1\n")
    assert read_labels(path) == {"215": 1, "2097": -1}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1,2,3\n", "ratings.csv:1: a line must have 4 columns, got 3"),
        ("1,2,3,4\n1,2,11,5\n", "ratings.csv:2: rating must be a whole number from -10 to 10"),
        ("1,2,0.5,4\n", "ratings.csv:1: rating must be a whole number from -10 to 10, got '0.5'"),
        ("1,2,3,4\n1,2,3,soon\n", "ratings.csv:2: time must be a number, got 'soon'"),
        ("1,2,3,nan\n", "ratings.csv:1: time must be a number, got 'nan'"),
        ("1,,3,4\n", "ratings.csv:1: target must not be empty"),
        ("", "ratings.csv must hold at least one rating, got none"),
        ('1,2,"3,4\n', "ratings.csv must be a CSV file"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=r".*") as caught:
        read_ratings(written(tmp_path, text))
    assert told in str(caught.value)


def test_a_label_of_another_kind_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "1,1\n2,0\n", "labels.csv")
    with pytest.raises(InputError, match=r"labels.csv:2: label must be -1 or 1, got '0'"):
        read_labels(path)


def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing.csv cannot be read: No such file"):
        read_ratings(tmp_path / "missing.csv")
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(b"1,2,3,4\n" * 100)[:-20])
    with pytest.raises(InputError, match="must be a whole gzip file"):
        read_ratings(broken)
    latin = tmp_path / "latin.csv"
    latin.write_bytes(b"\xe9,2,3,4\n")
    with pytest.raises(InputError, match="must be UTF-8 text"):
        read_ratings(latin)
