"""Which machine runs which workers: evenly, and moving as few as that takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping


def dealt(workers: Collection[int], machines: Mapping[str, Collection[int]]) -> dict[str, set[int]]:
    """The workers of each machine, which differ by one at most. machines: what each has now; one
    at least.
    """
    shares: dict[str, set[int]] = {}
    placed: set[int] = set()
    for machine, numbers in machines.items():  # one that moves is on two machines for a while
        shares[machine] = set(numbers) & set(workers) - placed
        placed |= shares[machine]
    order = sorted(shares)
    for number in sorted(set(workers) - placed):
        min((shares[machine] for machine in order), key=len).add(number)
    while True:
        most = max((shares[machine] for machine in order), key=len)
        fewest = min((shares[machine] for machine in order), key=len)
        if len(most) - len(fewest) < 2:
            return shares
        number = max(most)
        most.remove(number)
        fewest.add(number)
