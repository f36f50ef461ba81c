"""Texts that were bent at random, given to all that reads what others write.

    python benchmarks/reliability/fuzz.py [--smoke] [--inputs 1000000] [--target events] [--seed 1]
    python benchmarks/reliability/fuzz.py --target events --guided   # by coverage, with atheris

Slow targets (YAML, calendars, git, beliefs, the tool index) get a tenth of the inputs. An input
that ends in a way not seen before joins those that are bent. Nothing may crash, take more than a
second of CPU, say more than 500 characters, or leave memory behind. Ends with 1 where something
does; --planted has a reader with these faults. With --guided atheris ends the process at the
first one.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import random
import re
import sys
import time
import traceback
from pathlib import Path

from fuzz_targets import FuzzTarget, targets
from prefrontal.errors import PrefrontalError

MOST_S, MOST_CHARACTERS, MOST_GROWTH_MB = 1.0, 500, 32.0
MOST_BYTES, MOST_KEPT, MOST_BYTES_KEPT = 1 << 16, 2_000, 1 << 11
SLOW_SHARE = 10
LOOK_AGAIN_S = 0.05
WORD = re.compile(rb"\w+|[^\w\s]")
TOKENS = [
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"\\",
        b":",
        b",",
        b"\n",
        b"\r\n",
        b"\0",
        b"\x01",
        b"&a ",
        b"*a",
    ),
    *(b"null", b"true", b"NaN", b"Infinity", b"-1", b"1e309", b"9" * 400, b"0x", b"1e17", b"!!"),
    *(
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"\\ud800",
        b"\xe2\x80\xa8",
        b"\xe2\x80\xae",
        b"\x1b[2J",
        b"```",
    ),
    *(b"[" * 500, b'{"a":' * 300, b"(" * 300, b"," * 300, b"- " * 200, b" " * 500, b"a" * 2000),
]


class Mutations:
    """Bends what is in the corpus. seed: of the draw."""

    def __init__(self, corpus: tuple[bytes, ...], seed: int) -> None:
        self.corpus = list(corpus)
        self._random = random.Random(seed)

    def next(self) -> bytes:
        data = self._random.choice(self.corpus)
        for _ in range(self._random.choice((1, 1, 2, 4, 8))):
            data = self._random.choice(self._ways)(self, data)[:MOST_BYTES]
        return data

    def keep(self, data: bytes) -> None:
        if len(self.corpus) < MOST_KEPT and len(data) <= MOST_BYTES_KEPT:
            self.corpus.append(data)

    def _place(self, data: bytes) -> int:
        return self._random.randrange(len(data) + 1)

    def _flip(self, data: bytes) -> bytes:
        place = self._place(data)
        return data[:place] + bytes([self._random.randrange(256)]) + data[place + 1 :]

    def _insert(self, data: bytes) -> bytes:
        place = self._place(data)
        return data[:place] + self._random.choice(TOKENS) + data[place:]

    def _replace(self, data: bytes) -> bytes:
        word = WORD.search(data, self._place(data)) or WORD.search(data)
        if word is None:
            return self._insert(data)
        return data[: word.start()] + self._random.choice(TOKENS) + data[word.end() :]

    def _cut(self, data: bytes) -> bytes:
        begin, end = sorted((self._place(data), self._place(data)))
        return data[:begin] + data[end:]

    def _repeat(self, data: bytes) -> bytes:
        begin, end = sorted((self._place(data), self._place(data)))
        return data[:end] + data[begin:end] * self._random.choice((1, 3, 40)) + data[end:]

    def _join(self, data: bytes) -> bytes:
        other = self._random.choice(self.corpus)
        return data[: self._place(data)] + other[self._place(other) :]

    _ways = (_flip, _insert, _replace, _cut, _repeat, _join)


class Faults:
    """What one target did. worst_s: CPU time of its slowest input, 0 where none was slow."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[str, bytes]] = {}
        self.worst_s = 0.0

    def check(self, target: FuzzTarget, data: bytes) -> str:
        """How the input ended, in few words; keeps what must not be."""
        refusals: tuple[type[Exception], ...] = (PrefrontalError, *target.refusals)
        begin = time.perf_counter()
        try:
            target.run(data)
            ending = "taken"
        except refusals as error:
            ending = re.sub(r"[^a-z ]+", "", f"{type(error).__name__} {error}".partition("got")[0])
            if isinstance(error, PrefrontalError) and len(str(error)) > MOST_CHARACTERS:
                self._add(f"says {str(error)[:60]!r} and more", data, key="says too much")
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            [*_, place] = traceback.extract_tb(error.__traceback__)
            ending = f"{type(error).__name__} in {place.name}"
            self._add(f"{ending}: {str(error)[:60]!r}", data, key=ending)
        if time.perf_counter() - begin > LOOK_AGAIN_S:
            self._look_again(target, data)
        return ending[:60]

    def _look_again(self, target: FuzzTarget, data: bytes) -> None:
        """The CPU time of what took a while; asking each time costs more than most inputs."""
        begin = time.thread_time()
        with contextlib.suppress(Exception):
            target.run(data)
        took_s = time.thread_time() - begin
        self.worst_s = max(self.worst_s, took_s)
        if took_s > MOST_S:
            self._add(f"takes {took_s:.1f} s", data, key="takes long")

    def _add(self, sentence: str, data: bytes, key: str) -> None:
        """Keep the first of its kind, and tell it at once: a long run may be ended."""
        if key not in self.found:
            print(f"{sentence}, for {data[:80]!r}", file=sys.stderr, flush=True)
            self.found[key] = (sentence, data)


def resident_mb() -> float:
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * 4096 / 1e6


def fuzz(target: FuzzTarget, inputs: int, seed: int) -> Faults:
    """Give the target bent inputs."""
    faults, mutations, endings = Faults(), Mutations(target.seeds, seed), set[str]()
    before = 0.0
    for number in range(inputs):
        data = mutations.next()
        ending = faults.check(target, data)
        if ending not in endings and len(endings) < MOST_KEPT:
            endings.add(ending)
            mutations.keep(data)
        if number == inputs // 2:
            gc.collect()
            before = resident_mb()
    gc.collect()
    if (growth := resident_mb() - before) > MOST_GROWTH_MB:
        faults.found["grows"] = f"{growth:.0f} MB more in use after the second half", b""
    return faults


def guided(target: FuzzTarget, words: list[str]) -> None:
    """By coverage; ends the process at the first fault."""
    atheris = importlib.import_module("atheris")

    faults = Faults()

    def once(data: bytes) -> None:
        faults.check(target, data)
        for sentence, _ in faults.found.values():
            raise AssertionError(sentence)

    atheris.instrument_all()
    atheris.Setup([sys.argv[0], f"-max_len={MOST_BYTES}", *words], once)
    atheris.Fuzz()


def slowest(faults: Faults) -> str:
    """Its CPU time, which is measured where an input took a while."""
    if faults.worst_s < LOOK_AGAIN_S:
        return f"< {LOOK_AGAIN_S * 1e3:.0f}"
    return f"{faults.worst_s * 1e3:.0f}"


def careless(data: bytes) -> None:
    """The planted fault: a reader that believes what it reads."""
    if data.count(b"{") > 1:
        raise KeyError(data[:10])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="1,000 inputs")
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--target", action="append", help="one of those that the table names")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--planted", action="store_true", help="a careless reader alone")
    parser.add_argument("--guided", action="store_true", help="by coverage; needs atheris")
    options, words = parser.parse_known_args()
    known = {"careless": FuzzTarget(careless, (b"{}",))} if options.planted else dict(targets())
    chosen = {name: known[name] for name in options.target or known}
    if options.guided:
        [target] = chosen.values()
        guided(target, words)
    wrong: list[str] = []
    print("| target | inputs | a second | slowest ms | faults |\n|---|---|---|---|---|")
    for name, target in chosen.items():
        inputs = 1_000 if options.smoke else options.inputs
        inputs = max(1, inputs // (SLOW_SHARE if target.slow else 1))
        begin = time.perf_counter()
        faults = fuzz(target, inputs, options.seed)
        rate = inputs / (time.perf_counter() - begin)
        wrong += [f"{name}: {what}, for {data[:80]!r}" for what, data in faults.found.values()]
        print(
            f"| {name} | {inputs:,} | {rate:,.0f} | {slowest(faults)} | {len(faults.found)} |",
            flush=True,
        )
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
