"""Prefrontal in front of a LangGraph graph: a run starts only when a signal matters.

The graph says at its end whether the run was useful, and the gate learns from it. A run that raises
teaches nothing. Runs of one module come one after another, of several modules side by side.

    pip install langgraph
    python examples/adapters/langgraph_gate.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import time
from typing import Any, TypedDict

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.graph import END, START, StateGraph

from prefrontal.pulse import EscalationDecision, PulseRegistry, SignalEvent

INSTRUCTIONS = "Do what the question needs. If there is nothing to do, reply NOTHING."

INVOICES = {
    "module_id": "invoices",
    "cluster": "money",
    "version": "1",
    "question_template": "Is {location} an invoice to file?",
    "default_threshold": 0.6,
    "signal_priors": {
        "filesystem": {"watch_directories": ["/srv/inbox"], "relevant_extensions": [".pdf"]}
    },
}


class Errand(TypedDict, total=False):
    """What a run carries along."""

    question: str
    reply: str
    useful: bool


def build_graph(model: Runnable[Any, Any], tell: Callable[[str], object] = print) -> Any:
    """answer -> judge -> tell, if there is something to tell. Put your own nodes in between."""

    def answer(state: Errand) -> Errand:
        message = model.invoke([SystemMessage(INSTRUCTIONS), HumanMessage(state["question"])])
        return {"reply": str(message.content)}

    def judge(state: Errand) -> Errand:
        return {"useful": state["reply"].strip().rstrip(".").upper() not in ("", "NOTHING")}

    def say(state: Errand) -> Errand:
        tell(state["reply"])
        return {}

    graph = StateGraph(Errand)
    graph.add_node("answer", answer)
    graph.add_node("judge", judge)
    graph.add_node("say", say)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", "judge")
    graph.add_conditional_edges("judge", lambda state: "say" if state["useful"] else END)
    graph.add_edge("say", END)
    return graph.compile()


def wake_with(graph: Any, registry: PulseRegistry) -> Callable[[], None]:
    """Run the graph for each question of the registry; calling the answer ends that."""

    def wake(decision: EscalationDecision) -> None:
        state = graph.invoke({"question": decision.question})
        registry.record_feedback(decision.activation_id or "", float(state["useful"]))

    return registry.on_escalation(wake)


def scripted(messages: Sequence[BaseMessage]) -> AIMessage:
    """Stands in for a model: bills are useful."""
    return AIMessage("Filed the bill." if "bill" in str(messages[-1].content) else "NOTHING")


if __name__ == "__main__":
    gate = PulseRegistry()  # with watch_dirs=["~/inbox"] it would see files by itself
    gate.register_module("invoices", INVOICES)
    wake_with(build_graph(RunnableLambda(scripted)), gate)
    gate.start()
    for name in ("bill-1.pdf", "notes.txt", "menu.pdf"):
        gate.push(SignalEvent("filesystem", f"/srv/inbox/{name}", "created", 1.0, time()))
    gate.stop()
    print(gate.status()["decisions"])
