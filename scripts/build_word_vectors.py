"""Builds csrc/routing/word_vectors.bin: what words mean, as 64 numbers each.

    python scripts/build_word_vectors.py --model FOLDER --wordnet FOLDER --descriptions FILE \\
        --seal-tools FOLDER --tool-bench FOLDER --tool-alpaca FILE --public-apis FILE --kept FOLDER

The vectors are fitted so that those of a text's words, added up, point where a sentence model puts
the text (a ridge regression). No text is in the result. --model: all-MiniLM-L6-v2 (Apache-2.0),
a folder that the package transformers reads. Texts: WordNet 3.0 (its own permissive licence; the
data.* files), a list of Debian's package descriptions (Translation-en, unpacked), the tools and
requests of Seal-Tools (dataset folder), StableToolBench (solvable_queries/test_instruction) and
ToolAlpaca (all Apache-2.0), and the list of public-apis (MIT). --kept: what the model says is kept
there, since it takes long: a file for each kind of text, in the order of the texts.

    "PFWV" | stems u32 | letters u32 | mark u32 | unrelated u32, millionths | starts u32 each and
    one more | letters | vector i8, 64 each

mark: the checksum of the vectors. csrc/routing/word_vectors.hpp says what follows from them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse  # type: ignore[import-untyped]
from numpy.typing import NDArray

from prefrontal._core.routing import is_stop_word, read_word_vectors, tokens
from prefrontal.routing.ranking.meanings import EVERYDAY
from wordnet import synsets

OUT = Path(__file__).parents[1] / "csrc/routing/word_vectors.bin"
STEMS, DIMENSIONS, LONGEST = 20_000, 64, 48
MOST = {"glosses": 50_000, "examples": 20_000, "packages": 25_000, "paragraphs": 10_000}
WEIGHTS = {"tools": 3.0, "requests": 3.0, "words": 0.3}
"""Of a text in the regression; 1 for the others."""
RIDGE, STEPS, EVENNESS = 0.5, 40, 0.25
BATCH, TOKENS = 128, 48

Texts = dict[str, list[str]]
Reals = NDArray[np.float64]


def spaced(name: str) -> str:
    parts = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return parts.replace("_", " ").replace("-", " ")


def of_wordnet(folder: Path, texts: Texts) -> None:
    for one in synsets(folder):
        meaning = one.gloss.partition('; "')[0].strip()
        texts["glosses"].append(f"{', '.join(one.words[:4])}: {meaning}")
        texts["examples"] += re.findall(r'"([^"]+)"', one.gloss)[:2]


def of_packages(path: Path, texts: Texts) -> None:
    seen: set[str] = set()
    for block in path.read_text("utf-8", errors="replace").split("\n\n"):
        found = re.search(r"^Description-en: (.*)", block, re.MULTILINE | re.DOTALL)
        name = re.search(r"^Package: (\S+)", block, re.MULTILINE)
        if not found or not name:
            continue
        short, _, long = found[1].partition("\n")
        if short in seen:
            continue
        seen.add(short)
        texts["packages"].append(f"{spaced(name[1])}: {short}")
        first = re.split(r"\n \.\n", long)[0].replace("\n", " ")
        if len(first) > 40:
            texts["paragraphs"].append(re.sub(r"\s+", " ", first)[:300])


def of_seal_tools(folder: Path, texts: Texts) -> None:
    for line in (folder / "tool.jsonl").read_text().splitlines():
        tool = json.loads(line)
        texts["tools"].append(f"{spaced(tool['api_name'])}: {tool['api_description']}")
    for name in ("dev", "test_in_domain", "test_out_domain"):
        lines = (folder / f"{name}.jsonl").read_text().splitlines()
        texts["requests"] += [json.loads(line)["query"] for line in lines]


def of_tool_bench(folder: Path, texts: Texts) -> None:
    for path in sorted(folder.glob("G*.json")):
        for asked in json.loads(path.read_text()):
            texts["requests"] += [asked["query"], *re.split(r"(?<=[.?!]) ", asked["query"])]
            for tool in asked["api_list"]:
                name = f"{spaced(tool['tool_name'])} {spaced(tool['api_name'])}"
                texts["tools"].append(f"{name}: {tool['api_description'][:300]}")


def of_lists(alpaca: Path, apis: Path, texts: Texts) -> None:
    for entry in json.loads(alpaca.read_text())["entries"]:
        texts["tools"].append(f"{spaced(entry['API'])}: {entry['Description']}")
    for line in apis.read_text().splitlines():
        row = re.match(r"^\| \[([^\]]+)\]\([^)]*\) \| ([^|]+) \|", line)
        if row:
            texts["tools"].append(f"{spaced(row[1])}: {row[2]}")


def every_text(options: argparse.Namespace) -> Texts:
    """By kind, each once; some of what there is most of."""
    kinds = "glosses", "examples", "packages", "paragraphs", "tools", "requests"
    texts: Texts = {kind: [] for kind in kinds}
    of_wordnet(options.wordnet, texts)
    of_packages(options.descriptions, texts)
    of_seal_tools(options.seal_tools, texts)
    of_tool_bench(options.tool_bench, texts)
    of_lists(options.tool_alpaca, options.public_apis, texts)
    dice = random.Random(2)
    for kind in kinds:
        texts[kind] = list(dict.fromkeys(texts[kind]))
        if kind in MOST:
            texts[kind] = dice.sample(texts[kind], MOST[kind])
    return texts


def stems_and_words(texts: Texts) -> tuple[list[str], list[str]]:
    """What most texts have, in the order of the bytes, and how each is mostly written."""
    holders: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    for text in (text for part in texts.values() for text in part):
        typed = set(re.findall(r"[a-z]+", text.lower()))
        for word in sorted(typed):
            for stem in tokens(word)[:1]:
                written.setdefault(stem, Counter())[word] += 1
        holders.update({stem for stem in tokens(text) if stem.isalpha() and not is_stop_word(stem)})
    often = sorted(holders.items(), key=lambda pair: (-pair[1], pair[0]))
    known = [stem for stem, _ in often if len(stem) > 1 and stem in written][:STEMS]
    stems = sorted(known, key=str.encode)
    return stems, [min(written[s].items(), key=lambda pair: (-pair[1], pair[0]))[0] for s in stems]


class Teacher:
    """The mean of a sentence model's last layer, of length 1."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer  # type: ignore[import-not-found]

        self._torch = torch
        self._tokenizer = AutoTokenizer.from_pretrained(str(folder))
        self._model = AutoModel.from_pretrained(str(folder), dtype=torch.bfloat16).eval()

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float16]:
        torch, out = self._torch, np.zeros((len(texts), 384), np.float16)
        order = np.argsort([len(text) for text in texts], kind="stable")
        with torch.inference_mode():
            for first in range(0, len(texts), BATCH):
                places = order[first : first + BATCH]
                given: Any = self._tokenizer(
                    [texts[place] for place in places],
                    padding=True,
                    truncation=True,
                    max_length=TOKENS,
                    return_tensors="pt",
                )
                layer = self._model(**given).last_hidden_state.float()
                mask = given["attention_mask"][..., None].float()
                mean = (layer * mask).sum(1) / mask.sum(1)
                out[places] = torch.nn.functional.normalize(mean, dim=1).numpy()
        return out


def of_model(texts: Mapping[str, list[str]], options: argparse.Namespace) -> dict[str, Reals]:
    teacher: Teacher | None = None
    out = {}
    for kind, part in texts.items():
        path = options.kept / f"{kind}.npy"
        if not path.exists():
            teacher = teacher or Teacher(options.model)
            np.save(path, teacher.vectors(part))
        out[kind] = np.load(path).astype(float)
        if len(out[kind]) != len(part):
            raise SystemExit(f"{path} must have {len(part)} rows, has {len(out[kind])}: remove it")
        print(f"{len(part)} {kind}", flush=True)
    return out


def bags(texts: Iterable[str], places: Mapping[str, int]) -> sparse.csr_matrix:
    """How often each stem is in each text, of its first words."""
    rows, columns = [], []
    for row, text in enumerate(texts):
        found = [places[stem] for stem in tokens(text) if stem in places][:LONGEST]
        columns += found
        rows += [row] * len(found)
    size = (max(rows, default=-1) + 1, len(places))
    return sparse.coo_matrix((np.ones(len(rows)), (rows, columns)), shape=size).tocsr()


def unit_rows(table: Any) -> Any:
    lengths = np.sqrt(np.asarray(sparse.csr_matrix(table).multiply(table).sum(axis=1)).ravel())
    return sparse.diags(1.0 / np.maximum(lengths, 1e-9)) @ table


def regression(counts: Any, meant: Reals, weights: Reals) -> Reals:
    """Word vectors by conjugate gradients; rare words start larger than common ones."""
    holders = np.asarray((counts > 0).sum(axis=0)).ravel()
    idf = np.log(counts.shape[0] / (1.0 + holders))
    idf = np.maximum(idf / idf.max(), 0.02)
    table = unit_rows(counts @ sparse.diags(idf))
    weighed = sparse.diags(weights) @ table
    square = (table.T @ weighed + RIDGE * sparse.identity(table.shape[1])).tocsr()
    scale = 1.0 / square.diagonal()[:, None]
    found = np.zeros((table.shape[1], meant.shape[1]))
    left = weighed.T @ meant
    way = scale * left
    size = (left * way).sum(axis=0)
    for _ in range(STEPS):
        moved = square @ way
        step = size / np.maximum((way * moved).sum(axis=0), 1e-12)
        found += step * way
        left -= step * moved
        size, before = (left * (scale * left)).sum(axis=0), size
        way = scale * left + size / np.maximum(before, 1e-12) * way
    out: Reals = found * idf[:, None]
    return out


def projected(words: Reals, counts: Any) -> Reals:
    """The directions in which these texts differ most, a little evened out."""
    rows = counts @ words
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    _, strength, right = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    strength = strength[:DIMENSIONS]
    out: Reals = words @ right[:DIMENSIONS].T / (strength / strength[0]) ** EVENNESS
    return out


def packed(stems: Sequence[str], words: Reals) -> bytes:
    scale = 127.0 / np.quantile(np.abs(words).max(axis=1), 0.99)
    vectors = np.clip(np.floor(words * scale + 0.5), -127, 127).astype(np.int8)
    letters = [stem.encode() for stem in stems]
    starts = np.cumsum([0, *map(len, letters)]).astype("<u4")
    everyday = bags(EVERYDAY, {stem: place for place, stem in enumerate(stems)}) @ vectors
    everyday = everyday / np.linalg.norm(everyday, axis=1, keepdims=True)
    count = len(everyday)
    unrelated = ((everyday @ everyday.T).sum() - count) / (count * (count - 1))
    mark = zlib.crc32(vectors.tobytes())
    numbers = [len(stems), starts[-1], mark, round(1e6 * max(0.0, unrelated))]
    head = np.array(numbers, "<u4").tobytes()
    return b"".join([b"PFWV", head, starts.tobytes(), *letters, vectors.tobytes()])


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the word vectors of the index of tools.")
    for name in ("model", "wordnet", "seal-tools", "tool-bench", "kept"):
        parser.add_argument(f"--{name}", type=Path, metavar="FOLDER", required=True)
    for name in ("descriptions", "tool-alpaca", "public-apis"):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", required=True)
    parser.add_argument("--out", type=Path, metavar="FILE", default=OUT)
    options = parser.parse_args()
    texts = every_text(options)
    stems, texts["words"] = stems_and_words(texts)
    meant = of_model(texts, options)
    places = {stem: place for place, stem in enumerate(stems)}
    counts = bags([text for part in texts.values() for text in part], places)
    kinds = np.array([kind for kind, part in texts.items() for _ in part])[: counts.shape[0]]
    every = np.concatenate(list(meant.values()))[: counts.shape[0]]
    some = np.asarray(counts.sum(axis=1)).ravel() > 0
    weights = np.array([WEIGHTS.get(kind, 1.0) for kind in kinds[some]])
    words = regression(counts[some], every[some] - every[some].mean(axis=0), weights)
    shown = counts[some & np.isin(kinds, ["tools", "requests"])]
    file = packed(stems, projected(words, shown))
    print(f"{len(read_word_vectors(file))} stems, {len(file)} bytes")
    options.out.write_bytes(file)


if __name__ == "__main__":
    main()
