"""What a plan's inputs may refer to: "{{input.X}}" and "{{steps.sN.outputs.Y}}"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...errors import InputError

_REFERENCE = re.compile(
    r"\{\{\s*(?:input\.(?P<input>\w+)|steps\.(?P<step>s[1-9]\d{0,3})\.outputs\.(?P<output>\w+))"
    r"\s*\}\}\Z",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Reference:
    """name: of an input of the plan when step is empty, else of an output of that step."""

    step: str
    name: str

    def __str__(self) -> str:
        where = f"steps.{self.step}.outputs" if self.step else "input"
        return f"{{{{{where}.{self.name}}}}}"


def parse_reference(value: object, where: str) -> Reference | None:
    """The reference that a value is; None for a plain value.

    Raises InputError, naming `where`, for text with braces that is not one whole reference.
    """
    if not isinstance(value, str) or "{{" not in value:
        return None
    match = _REFERENCE.match(value)
    if match is None:
        rule = "be one whole reference, {{input.X}} or {{steps.sN.outputs.Y}}"
        raise InputError(f"{where} must {rule}, got {value!r}")
    return Reference(match["step"] or "", match["input"] or match["output"])
