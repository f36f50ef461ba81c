"""The software bill of materials of a wheel, as CycloneDX 1.6: what it needs and what is in it.

Runtime dependencies stand with the versions of this environment, those that the wheel was tested
with; pip may install others that pyproject.toml allows.
"""

from __future__ import annotations

import email
import hashlib
import uuid
import zipfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import Distribution, distribution
from pathlib import Path

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

IN_THE_WHEEL = (  # name, version, licences, where from
    ("htmx.org", "4.0.1", ["0BSD"], "npm"),  # under web/static, see docs/decisions
    ("uplot", "1.6.32", ["MIT"], "npm"),
    ("wordnet", "3.0", ["WordNet"], "generic"),  # figures made from it: csrc/routing/*.bin
)


def _component(name: str, version: str, licences: Iterable[str], kind: str) -> Component:
    url = PackageURL(kind, None, name, version)
    make = LicenseFactory().make_from_string
    return Component(
        type=ComponentType.LIBRARY,
        scope=ComponentScope.REQUIRED,
        name=name,
        version=version,
        licenses=[make(licence) for licence in licences],
        purl=url,
        bom_ref=str(url),
    )


def _licences(found: Distribution) -> list[str]:
    """The licence expression, or what the metadata says instead where it is one line."""
    for key in ("License-Expression", "License"):
        texts = found.metadata.get_all(key) or []
        if len(texts) == 1 and "\n" not in texts[0]:
            return texts
    return []


def _installed(name: str) -> Component:
    found = distribution(name)
    return _component(canonicalize_name(name), found.version, _licences(found), "pypi")


def _needs(found: Distribution, extras: Iterable[str]) -> Iterator[Requirement]:
    for line in found.requires or ():
        wanted = Requirement(line)
        environments = [{"extra": extra} for extra in ("", *extras)]
        if wanted.marker is None or any(map(wanted.marker.evaluate, environments)):
            yield wanted


class _Materials:
    """A bill that grows along the requirements, each distribution once."""

    def __init__(self, subject: Component) -> None:
        self.bom = Bom()
        self.bom.metadata.component = subject
        self._known: dict[str, Component] = {}

    def add(self, parent: Component, wanted: Requirement) -> None:
        name = canonicalize_name(wanted.name)
        known = name in self._known
        if not known:
            self._known[name] = _installed(name)
            self.bom.components.add(self._known[name])
        self.bom.register_dependency(parent, [self._known[name]])
        if known:
            return
        for each in _needs(distribution(name), wanted.extras):
            self.add(self._known[name], each)


def sbom(wheel: Path, unix_s: int) -> str:
    """The bill of `wheel` as JSON that fits the schema; the same wheel gives the same text."""
    name, version = wheel.name.split("-")[:2]
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    subject = _component(name, version, ["Apache-2.0"], "pypi")
    subject.type = ComponentType.APPLICATION
    subject.hashes.add(HashType(alg=HashAlgorithm.SHA_256, content=digest))
    materials = _Materials(subject)
    for wanted in _requirements(wheel):
        materials.add(subject, wanted)
    contained = [_component(*part) for part in IN_THE_WHEEL] + [_installed("pybind11")]
    for part in contained:
        materials.bom.components.add(part)
    materials.bom.register_dependency(subject, contained)
    materials.bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, digest)
    materials.bom.metadata.timestamp = datetime.fromtimestamp(unix_s, UTC)
    text = JsonV1Dot6(materials.bom).output_as_string(indent=2)
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if fault is not None:
        raise ValueError(f"the SBOM must fit CycloneDX 1.6, got {fault}")
    return text + "\n"


def _requirements(wheel: Path) -> list[Requirement]:
    """What the wheel itself asks for, without extras."""
    with zipfile.ZipFile(wheel) as archive:
        path = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = email.message_from_bytes(archive.read(path)).get_all("Requires-Dist") or []
    wanted = [Requirement(line) for line in lines]
    return [each for each in wanted if each.marker is None or each.marker.evaluate({"extra": ""})]
