"""Calls of the compiled core, each on a fresh object, with all that can be seen of its state."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from prefrontal._core import control, cortex, pulse, routing
from prefrontal.types import SignalEvent

CALLS: dict[str, Call] = {}
MOMENT = routing.Moment(1_700_000_000.0)
REPORT = "plot the quarterly report"
KEY = "a key of many letters, the first"


@dataclass(frozen=True, slots=True)
class Call:
    """make: a fresh object. act: the call. state: what can be seen of the object."""

    name: str
    make: Callable[[], Any]
    act: Callable[[Any], Any]
    state: Callable[[Any], Any]


def _add(
    name: str, make: Callable[[], Any], state: Callable[[Any], Any], /, **acts: Callable[[Any], Any]
) -> None:
    for act, function in acts.items():
        CALLS[f"{name}.{act}"] = Call(f"{name}.{act}", make, function, state)


def _event(number: int, source: str = "filesystem") -> SignalEvent:
    features = {"actor": f"someone-{number % 3}", "text": f"the invoice number {number} is here"}
    location = f"/in/a-folder-with-a-long-name/bill-{number}.pdf"
    return SignalEvent(source, location, "created", 0.5, 1.7e9 + 60.0 * number, features)


WINDOW = [_event(1), _event(2)]
OTHER = [_event(number, "http") for number in range(40, 44)]
_SEEDS = [("extension", ".pdf", 3.2), ("token", "an-invoice-of-the-year", 1.0)]


# --- routes and scores ------------------------------------------------------------------------
def _routes() -> pulse.Routes:
    routes = pulse.Routes()
    routes.add("a-module-with-a-long-name", ["/in/a-folder-with-a-long-name"], [".iso"])
    routes.add("everything-that-comes-along")
    return routes


def _of_routes(routes: pulse.Routes) -> object:
    return routes.modules(), routes.match(WINDOW), routes.match(OTHER)


def _limbic() -> pulse.Limbic:
    limbic = pulse.Limbic(utc=True)
    for name in ("a-module-with-a-long-name", "another-module-with-a-name"):
        limbic.add(name, "digest", 0.1, _SEEDS)
        limbic.route(name, ["/in"])
        limbic.learn(name, WINDOW, 1.0)
    return limbic


def _of_limbic(limbic: pulse.Limbic) -> object:
    modules = limbic.modules()
    scores = limbic.score_all(WINDOW), limbic.score_routed(WINDOW), limbic.score_routed(OTHER)
    each = [(limbic.features(name), limbic.contributions(name, OTHER)) for name in modules]
    return limbic.save(), modules, scores, each


@cache
def _other_saved() -> bytes:
    limbic = pulse.Limbic(utc=True)
    limbic.add("a-module-with-a-long-name", "digest", 0.1, _SEEDS)
    limbic.add("one-that-was-not-registered", "digest", 0.1, [])
    for name in limbic.modules():
        limbic.learn(name, OTHER, 0.0)
    return limbic.save()


def _lstm() -> pulse.LstmLimbic:
    import numpy as np

    limbic = pulse.LstmLimbic(7)
    limbic.add("a-module-with-a-long-name", "digest", np.ones(16, dtype=np.float32))
    limbic.route("a-module-with-a-long-name", ["/in"])
    return limbic


def _of_lstm(limbic: pulse.LstmLimbic) -> object:
    modules = limbic.modules()
    return limbic.save(), modules, limbic.score_all(WINDOW), limbic.score_routed(OTHER)


def _new_module(limbic: pulse.LstmLimbic) -> None:
    import numpy as np

    limbic.add("a-third-module-with-a-name", "digest", np.ones(16, dtype=np.float32))


def _newer_module(limbic: pulse.LstmLimbic) -> None:
    import numpy as np

    limbic.add("a-module-with-a-long-name", "other", np.zeros(16, dtype=np.float32))


@cache
def _lstm_saved() -> bytes:
    limbic = _lstm()
    limbic.learn("a-module-with-a-long-name", OTHER, 1.0)
    _new_module(limbic)
    return limbic.save()


# --- recall and rules -------------------------------------------------------------------------
def _control() -> pulse.RecallControl:
    control = pulse.RecallControl(0.9, 400, 0.05, 0.02, 3)
    for number in range(60):
        control.asked(number / 60, 1.0, 0.1)
        control.labelled(number / 60, number % 3 == 0, 0.2, 1.0, number / 50)
        control.slept(number / 90)
    return control


def _of_control(control: pulse.RecallControl) -> object:
    return control.state(), control.threshold, control.figures(), control.alarm()


def _finder() -> pulse.RuleFinder:
    finder = pulse.RuleFinder()
    for number in range(30):
        finder.add([_event(number, "http" if number % 2 else "filesystem")], number % 2 == 0)
    return finder


@cache
def _rule() -> pulse.Rule:
    return _finder().find().rule


@cache
def _known() -> dict[str, Any]:
    return pulse.RecallControl(0.9, 400, 0.05, 0.02, 3).state()


def _found(finder: pulse.RuleFinder) -> object:
    found = finder.find()
    return found.rule.to_dict(), found.windows, found.relevant, found.matched, found.caught


# --- triggers ---------------------------------------------------------------------------------
def _engine() -> cortex.TriggerEngine:
    engine = cortex.TriggerEngine(new_peer=True, promise_timeout=True, farming=True)
    for number in range(6):
        engine.push(number % 2, "in", f"a-peer-with-a-long-name-{number}", 10.0 * number, 40.0)
    engine.commit(0, "a-peer-with-a-long-name-0", 100.0, KEY)
    return engine


def _of_engine(engine: cortex.TriggerEngine) -> object:
    agents = engine.agents()
    each = [
        (engine.peers(one), engine.commitments(one), engine.interactions(one)) for one in agents
    ]
    return engine.save(), agents, each, engine.next_due()


def _in_cycle() -> cortex.TriggerEngine:
    engine = _engine()
    engine.begin(0, 200.0)
    return engine


# --- tools ------------------------------------------------------------------------------------
def _tool(name: str) -> dict[str, Any]:
    intents = [f"please {name} the quarterly report", "and show it to everybody in the room"]
    return {"name": name, "doc": f"Tool to {name} a long document of words.", "intents": intents}


def _index() -> routing.ToolIndex:
    index = routing.ToolIndex()
    index.put([_tool(name) for name in ("summarize_matrix", "plot_matrix", "delete_file")])
    index.accept(REPORT, "plot_matrix", MOMENT)
    index.reject("remove the quarterly report", "plot_matrix", MOMENT)
    return index


def _of_full_index(index: routing.ToolIndex) -> object:
    return index.save(), index.keys()


def _full() -> routing.ToolIndex:
    """Of a tool with as many phrasings as it may have: the oldest goes."""
    intents = [f"word-{number} of the words" for number in range(1000)]
    index = routing.ToolIndex()
    index.put([{"name": "full", "doc": "", "intents": intents}])
    return index


def _rank(index: routing.ToolIndex) -> object:
    return index.rank(
        "please plot the quarterli report",
        3,
        (0.7, 0.2, 0.1),
        (4.0, 0.5, 0.5),
        MOMENT,
        [],
        0.0,
        explain=True,
        relatives=True,
        word_vectors=True,
        successes=[("send_letter", 0.75)],
    )


def _of_index(index: routing.ToolIndex) -> object:
    return index.save(), index.keys(), _rank(index)


def _load_tools(index: routing.ToolIndex) -> None:
    index.load(_saved_tools())


@cache
def _saved_tools() -> str:
    index = routing.ToolIndex()
    index.put([_tool("send_letter"), _tool("plot_matrix")])
    with tempfile.NamedTemporaryFile(suffix=".index", delete=False) as file:
        file.write(index.save())
    return file.name


# --- a memory that is read ------------------------------------------------------------------------
@cache
def _parameters(seed: int) -> dict[str, Any]:
    import numpy as np

    draw = np.random.default_rng(seed)
    shapes = {
        "memory": (16, 128), "key_proj.weight": (128, 128),
        "world_query_proj.weight": (128, 32), "world_query_proj.bias": (128,),
        "value_proj.weight": (128, 128), "value_proj.bias": (128,),
        "output_proj.weight": (64, 128), "output_proj.bias": (64,),
        "cue_action_proj.weight": (16, 64), "cue_action_proj.bias": (16,),
        "cue_terrain_proj.weight": (2, 64), "cue_terrain_proj.bias": (2,),
    }  # fmt: skip
    return {name: draw.uniform(-0.1, 0.1, shape).astype("f4") for name, shape in shapes.items()}


def _cue() -> control.CueReader:
    return control.CueReader(_parameters(1))


def _of_cue(cue: control.CueReader) -> object:
    action, terrain = cue.read(_parameters(2)["world_query_proj.weight"])
    return cue.memory.tobytes(), action.tobytes(), terrain.tobytes()


# --- words, and one that is at fault ------------------------------------------------------------
def _nothing(subject: object) -> object:
    return None


class _Careless:
    """Changes itself before it allocates."""

    def __init__(self) -> None:
        self.count = 0
        self.index = _index()

    def act(self) -> object:
        self.count += 1
        return _rank(self.index)


_add(
    "Routes", _routes, _of_routes,
    add=lambda routes: routes.add("a-third-module-with-a-name", ["/out/of/here/and/away"], [".a"]),
    replace=lambda routes: routes.add("everything-that-comes-along", ["/out/of/here/and/away"]),
    remove=lambda routes: routes.remove("a-module-with-a-long-name"),
    match=lambda routes: routes.match(WINDOW),
)  # fmt: skip
_add(
    "Limbic", _limbic, _of_limbic,
    add=lambda limbic: limbic.add("a-third-module-with-a-name", "digest", 0.0, _SEEDS),
    replace=lambda limbic: limbic.add("another-module-with-a-name", "other", 0.0, _SEEDS),
    remove=lambda limbic: limbic.remove("a-module-with-a-long-name"),
    route=lambda limbic: limbic.route("another-module-with-a-name", ["/out/of/here/and/away"]),
    score=lambda limbic: limbic.score("a-module-with-a-long-name", OTHER),
    score_all=lambda limbic: limbic.score_all(OTHER),
    score_routed=lambda limbic: limbic.score_routed(WINDOW),
    learn=lambda limbic: limbic.learn("a-module-with-a-long-name", OTHER, 0.0),
    learn_again=lambda limbic: limbic.learn("a-module-with-a-long-name", WINDOW, 0.0),
    contributions=lambda limbic: limbic.contributions("a-module-with-a-long-name", WINDOW),
    unseen=lambda limbic: limbic.unseen("a-module-with-a-long-name", OTHER),
    start_from=lambda limbic: limbic.start_from("a-module-with-a-long-name", _rule()),
    save=lambda limbic: limbic.save(),
    load=lambda limbic: limbic.load(_other_saved()),
    load_one=lambda limbic: limbic.load(_other_saved(), "one-that-was-not-registered"),
)  # fmt: skip
_add(
    "LstmLimbic", _lstm, _of_lstm,
    add=_new_module,
    replace=_newer_module,
    remove=lambda limbic: limbic.remove("a-module-with-a-long-name"),
    score=lambda limbic: limbic.score("a-module-with-a-long-name", OTHER),
    score_stream=lambda limbic: limbic.score_stream("a-module-with-a-long-name", WINDOW[0]),
    learn=lambda limbic: limbic.learn("a-module-with-a-long-name", OTHER, 1.0),
    contributions=lambda limbic: limbic.contributions("a-module-with-a-long-name", WINDOW),
    save=lambda limbic: limbic.save(),
    load=lambda limbic: limbic.load(_lstm_saved()),
)  # fmt: skip
_add(
    "RecallControl", _control, _of_control,
    asked=lambda control: control.asked(0.4, 0.5, 0.1),
    labelled=lambda control: control.labelled(0.4, True, 0.2, 0.5, 0.7),
    slept=lambda control: control.slept(0.123),
    figures=lambda control: control.figures(),
    meanwhile=lambda control: control.meanwhile(),
    set_meanwhile=lambda control: control.set_meanwhile([(3, 0.5), (9, 0.25)]),
    state=lambda control: control.state(),
    restore=lambda control: control.restore(_known()),
)  # fmt: skip
_add(
    "RuleFinder", _finder, _found,
    add=lambda finder: finder.add(OTHER, True),
    find=_found,
)  # fmt: skip
_add(
    "TriggerEngine", _engine, _of_engine,
    push=lambda engine: engine.push(0, "in", "a-peer-that-nobody-has-met-yet", 90.0, 10.0),
    push_again=lambda engine: engine.push(0, "in", "a-peer-with-a-long-name-0", 90.0, 4000.0),
    push_new_agent=lambda engine: engine.push(9, "in", "a-peer-that-nobody-has-met-yet", 90.0),
    good=lambda engine: engine.push(0, "good", "a-peer-with-a-long-name-0", 90.0),
    commit=lambda engine: engine.commit(1, "a-peer-with-a-long-name-1", 50.0, "a key with letters"),
    uncommit=lambda engine: engine.uncommit(0, KEY),
    due=lambda engine: engine.due(1e6),
    commit_again=lambda engine: engine.commit(0, "nobody", 50.0, KEY),
    begin=lambda engine: engine.begin(0, 95.0),
    begin_new_agent=lambda engine: engine.begin(9, 95.0),
    next_due=lambda engine: engine.next_due(),
    set_thresholds=lambda engine: engine.set_thresholds(0, count=2),
    set_all_thresholds=lambda engine: engine.set_thresholds(count=1, farming=False),
    save=lambda engine: engine.save(),
    load=lambda engine: cortex.TriggerEngine.load(engine.save()).save(),
)  # fmt: skip
_add(
    "Cycle", _in_cycle, _of_engine,
    finish=lambda engine: engine.finish(0, 210.0),
    fail=lambda engine: engine.fail(0, 210.0),
)  # fmt: skip
_add(
    "ToolIndex", _index, _of_index,
    put=lambda index: index.put([_tool("send_letter"), _tool("plot_matrix")]),
    remove=lambda index: index.remove("plot_matrix"),
    rank=_rank,
    relevance=lambda index: index.relevance("please plot a matrix", (4.0, 0.5, 0.5), True, True),
    accept=lambda index: index.accept("make me a new chart of the sales", "delete_file", MOMENT),
    accept_again=lambda index: index.accept(REPORT, "plot_matrix", MOMENT),
    reject=lambda index: index.reject("make me a new chart of the sales", "plot_matrix", MOMENT),
    reject_accepted=lambda index: index.reject(REPORT, "plot_matrix", MOMENT),
    save=lambda index: index.save(),
    load=_load_tools,
)  # fmt: skip
_add(
    "FullIndex", _full, _of_full_index,
    accept=lambda index: index.accept("word-0 of other words", "full", MOMENT),
)  # fmt: skip
_add(
    "CueReader", _cue, _of_cue,
    read=_of_cue,
    refresh=lambda cue: cue.refresh(_parameters(2)),
    write_slot=lambda cue: cue.write_slot(3, _parameters(2)["memory"][0]),
    changed=lambda cue: cue.changed(_parameters(2)),
)  # fmt: skip
_add(
    "words", lambda: None, _nothing,
    tokens=lambda _: routing.tokens("summarise the quarterlyReports_of everybody, colourfully"),
    levenshtein=lambda _: routing.levenshtein("quarterly", "quarterli"),
    feature_names=lambda _: pulse.feature_names(WINDOW, utc=True),
)  # fmt: skip
CALLS["planted"] = Call(
    "planted", _Careless, lambda subject: subject.act(), lambda subject: subject.count
)
