#include "told_tools.hpp"

#include <pybind11/stl.h>

#include "routing.hpp"

namespace py = pybind11;
using namespace prefrontal::routing;

namespace prefrontal::bindings {
namespace {

py::dict features_of(const Ranked& ranked, bool embedded) {
  py::dict out;
  out["name_similarity"] = ranked.name_similarity;
  out["doc_keywords"] = ranked.doc_keywords;
  out["history_success"] = ranked.history_success;
  if (embedded) out["embedding_similarity"] = ranked.likeness;
  return out;
}

py::dict explanation_of(const ToldTool& tool, const Told& told, const Question& asked) {
  const Ranked& ranked = tool.ranked;
  py::dict out;
  out["raw"] = static_cast<double>(ranked.raw) / 1e6;
  out["weights"] =
      py::dict(py::arg("name") = asked.weights.name, py::arg("doc") = asked.weights.doc,
               py::arg("history") = asked.weights.history);
  out["calibration"] =
      py::dict(py::arg("slope") = asked.calibration.slope, py::arg("reached") = ranked.reached);
  out["learned"] = told.learned;
  out["evidence"] = std::vector<double>(told.evidence.begin(), told.evidence.end());
  out["accepted"] = ranked.accepted;
  out["likeness"] = ranked.likeness;
  out["called"] = ranked.name_words > 0;
  out["description"] = ranked.description;
  out["linear"] = ranked.linear;
  out["margin"] = ranked.margin;
  out["phrasing"] = ranked.phrasing;
  out["nearest"] = ranked.nearest == kNone ? py::object(py::none()) : text_of(tool.nearest);
  out["rejected"] = ranked.refused;
  py::list joined;
  for (const auto& [word, relative] : ranked.joined)
    joined.append(py::make_tuple(text_of(word), text_of(relative)));
  out["joined"] = joined;
  out["history_events"] =
      py::dict(py::arg("ok") = tool.record.ok, py::arg("failed") = tool.record.failed);
  return out;
}

}  // namespace

py::list told_tools(const Told& told, const Question& asked, bool explain, bool embedded) {
  py::list out;
  for (const ToldTool& tool : told.tools) {
    py::tuple matched(tool.ranked.matched.size());
    for (std::size_t i = 0; i < matched.size(); ++i) matched[i] = text_of(tool.ranked.matched[i]);
    py::object explanation = py::none();
    if (explain) explanation = explanation_of(tool, told, asked);
    out.append(py::make_tuple(text_of(tool.key), tool.ranked.score,
                              features_of(tool.ranked, embedded), matched, explanation));
  }
  return out;
}

}  // namespace prefrontal::bindings
