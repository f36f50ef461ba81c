"""The keys of prefrontal.yml below `routing`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from .rules import Days, Positive, Rate, SettingsGroup, Share, Slope, Switch, Text, Timeout, broken


def _word(value: Any) -> Any:
    """YAML reads a bare on and off as true and false."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


NetworkWord = Annotated[Literal["off", "hosts", "on"], BeforeValidator(_word)]


class Weights(SettingsGroup):
    """How much each feature counts in a score; the three sum to 1."""

    name: Share = 0.4
    doc: Share = 0.4
    history: Share = 0.2

    def model_post_init(self, context: Any, /) -> None:
        if abs(self.name + self.doc + self.history - 1.0) > 1e-9:
            raise broken("sum to 1")


class Calibration(SettingsGroup):
    """The map from the weighted sum of the features to a score: a logistic curve.

    It reaches 0.60 where the sum is `cold` when nothing was learned yet, `learned` when much was,
    in between in proportion; slope: how steeply. For the best tool that is moved to where its score
    is the odds fitted on open sets: up where terse texts, a near rival or unknown words make it
    unsure, down from 20 tools on. Of 100 tools at or above 0.60, 81 to 96 are right, see
    benchmarks/routing.md.
    """

    slope: Slope = 11.0
    cold: Share = 0.40
    learned: Share = 0.52


class Ranker(SettingsGroup):
    """How tools are ranked and when one is good enough.

    threshold: the least score (tau) of a selected tool. compose_margin: a step of a composition
    may be this much below it. embeddings_share: part of the doc feature that embeddings get when
    they are on. relatives: a word of a prompt that no tool has stands for those near it (photo,
    picture). word_vectors: what a prompt and a description mean counts where no embedder is on, by
    the vectors of their words. harmless_first: between equal scores, the tool with fewer side
    effects comes before the file name decides. candidates: how many tools are looked at and shown.
    """

    threshold: Share = 0.6
    weights: Weights = Weights()
    calibration: Calibration = Calibration()
    compose_margin: Share = 0.05
    embeddings_share: Share = 0.5
    relatives: Switch = True
    word_vectors: Switch = True
    harmless_first: Switch = True
    candidates: Positive = 10
    history_half_life_days: Rate = 30.0


class Parser(SettingsGroup):
    """threshold: with this confidence, a domain and an action, no question is asked."""

    threshold: Share = 0.55


class Model(SettingsGroup):
    """Who writes a tool when none fits.

    provider: "none"; "command" runs `command` (a shell line: prompt on its input, module on its
    output); "recorded" answers from the files of the folder `command`.
    """

    provider: Literal["none", "command", "recorded"] = "none"
    name: Text | None = None
    temperature: float = 0.3
    command: Text | None = None
    timeout_s: Timeout = 120.0

    def model_post_init(self, context: Any, /) -> None:
        if self.provider != "none" and self.command is None:
            raise broken(f"have a command when its provider is {self.provider}")


class Sandbox(SettingsGroup):
    """What a module that is tried out may use: seconds and megabytes for all its processes.

    level: "auto" takes the strongest that works here. network: "on" lets modules on trial reach the
    network; they then need --allow-weak-sandbox and a person's yes; "hosts" lets some hosts through
    by a proxy. hosts: such as "example.org", "*.example.org", "example.org:8443". credentials:
    variable -> its hosts; tools get a placeholder, and the proxy puts in the value that the
    variable has in prefrontal's own environment. runtime: words of an OCI runtime, such as runsc,
    that holds commands instead of the launcher.
    """

    max_seconds: Timeout = 30.0
    max_mem_mb: Positive = 512
    network: NetworkWord = "off"
    level: Literal["auto", "namespace", "landlock", "landlock-fs", "seccomp", "none"] = "auto"
    hosts: tuple[Text, ...] = ()
    credentials: dict[Text, tuple[Text, ...]] = Field(default_factory=dict)
    runtime: tuple[Text, ...] = ()

    def model_post_init(self, context: Any, /) -> None:
        if self.network != "hosts" and (self.hosts or self.credentials):
            raise broken("have hosts and credentials with network: hosts alone")
        if self.network == "hosts" and not self.hosts:
            raise broken("list hosts with network: hosts")
        if self.runtime and self.network != "off":
            raise broken("have no network with a runtime")


class Validators(SettingsGroup):
    """Seconds each check may take, and whether a check that is not installed is forgiven.

    mypy_config: a file for mypy instead of the shipped one; ruff_config likewise.
    """

    ruff_s: Timeout = 5.0
    mypy_s: Timeout = 20.0
    import_s: Timeout = 3.0
    allow_missing: Switch = False
    ruff_config: Text | None = None
    mypy_config: Text | None = None


class Generator(SettingsGroup):
    """allowed_imports: modules that generated code may import besides the standard ones.

    allow_writes: whether it may write files (into its scratch folder only).
    """

    allowed_imports: tuple[Text, ...] = ()
    allow_writes: Switch = False


class Retention(SettingsGroup):
    """retention_days: how long it is kept; None takes the value of `routing.retention_days`."""

    retention_days: Days | None = None


class Routing(SettingsGroup):
    """Everything `prefrontal route` is told.

    workflows_root: the folder of tools. log_dir: relative to the folder that holds it. embedder:
    what embeddings_enabled asks: wordllama (the extra `embeddings`), or "package.module:function",
    from a list of texts to a list of vectors.
    """

    workflows_root: Text = "workflows"
    log_dir: Text = "logs"
    tmp_dirname: Text = "_tmp"
    retention_days: Days = 7
    log: Retention = Retention()
    tmp: Retention = Retention()
    model: Model = Model()
    embeddings_enabled: Switch = False
    embedder: Text = "wordllama"
    parser: Parser = Parser()
    ranker: Ranker = Ranker()
    sandbox: Sandbox = Sandbox()
    validators: Validators = Validators()
    generator: Generator = Generator()
    cache_enabled: Switch = True
    rag_enabled: Switch = False

    def log_days(self) -> int:
        """Days that logs are kept."""
        days = self.log.retention_days
        return self.retention_days if days is None else days

    def tmp_days(self) -> int:
        """Days that temporary modules are kept."""
        days = self.tmp.retention_days
        return self.retention_days if days is None else days
