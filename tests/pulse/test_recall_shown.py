"""A recall estimate and the refusals of a registry, shown in a notebook."""

from __future__ import annotations

from prefrontal.pulse.recall.audit import RecallEstimate

from .registries import decided, file


def test_an_estimate_shows_its_sentence_over_its_figures() -> None:
    html = RecallEstimate(0.914, 0.85, 0.957, 64)._repr_html_()
    assert "<caption>estimated recall 0.91 (0.85 to 0.96) from 64 audits</caption>" in html
    assert html.endswith(
        "<tr><td>0.91</td><td>0.85</td><td>0.96</td><td>64</td></tr></tbody></table>"
    )


def test_an_estimate_without_audits_says_that_other_labels_made_it() -> None:
    said = str(RecallEstimate(0.914, 0.85, 0.957, 0))
    assert said == "estimated recall 0.91 (0.85 to 0.96) from labels, no audit among them"


def test_an_estimate_is_a_frame_of_one_row() -> None:
    frame = RecallEstimate(0.914, 0.85, 0.957, 64).to_pandas()
    assert frame.to_dict("records") == [{"recall": 0.914, "low": 0.85, "high": 0.957, "audits": 64}]


def test_refusals_are_shown_as_decisions_are() -> None:
    _, registry = decided([file("a.txt"), file("b.txt")])
    refusals = registry.refusals()
    assert "<caption>2 decisions</caption>" in refusals._repr_html_()
    assert refusals.to_pandas()["reason"].tolist() == ["below_threshold"] * 2
