// What both scorers' bindings share: routes as arguments, and what a scorer says as Python has it.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "csrc/pulse/linear_scorer.hpp"
#include "csrc/pulse/routes.hpp"
#include "events.hpp"

namespace prefrontal::bindings {

namespace py = pybind11;

// A dict of the same modules again and again: its form is kept, to be copied and filled.
class ScoreDict {
 public:
  using Names = std::shared_ptr<const std::vector<std::string>>;

  py::dict filled(const Names& asked, const std::vector<float>& values) {
    if (names_ != asked) {
      names_ = asked;
      form_ = py::dict();
      ids_.clear();
      for (const std::string& name : *names_) {
        ids_.emplace_back(name);
        form_[ids_.back()] = 0.0;
      }
    }
    auto out = py::reinterpret_steal<py::dict>(PyDict_Copy(form_.ptr()));
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const auto value = py::float_(static_cast<double>(values[i]));
      if (PyDict_SetItem(out.ptr(), ids_[i].ptr(), value.ptr()) != 0) throw py::error_already_set();
    }
    return out;
  }

  // The same for modules that differ from call to call, unless they are the usual ones.
  py::dict of(const Names& asked, const std::vector<float>& values) {
    if (names_ == asked) return filled(asked, values);
    py::dict out;
    for (std::size_t i = 0; i < asked->size(); ++i)
      out[py::str((*asked)[i])] = static_cast<double>(values[i]);
    return out;
  }

 private:
  Names names_;
  py::dict form_;
  std::vector<py::str> ids_;
};

// (id, "restored" | "created" | "changed") of each loaded module.
inline py::list told(const pulse::LinearScorer::Outcome& outcome) {
  static constexpr const char* kWords[] = {"restored", "created", "changed"};
  py::list out;
  for (const auto& [name, what] : outcome)
    out.append(py::make_tuple(name, kWords[static_cast<int>(what)]));
  return out;
}

inline py::list told(const std::vector<pulse::Contribution>& contributions) {
  py::list out;
  for (const auto& [name, weight] : contributions)
    out.append(py::make_tuple(readable(name), static_cast<double>(weight)));
  return out;
}

// (source, [(fields, how, patterns), ...]) as Python has it.
using GivenCondition = std::tuple<std::vector<std::string>, std::string, std::vector<std::string>>;
using GivenInterest = std::tuple<std::string, std::vector<GivenCondition>>;

inline std::vector<pulse::SourceInterest> source_interests(
    const std::vector<GivenInterest>& given) {
  using How = pulse::Condition::How;
  static const std::map<std::string, How> kHow = {{"path", How::path},
                                                  {"pattern", How::pattern},
                                                  {"any_case", How::any_case},
                                                  {"contains", How::contains}};
  std::vector<pulse::SourceInterest> interests;
  for (const auto& [source, conditions] : given) {
    pulse::SourceInterest& interest = interests.emplace_back();
    interest.source = source;
    for (const auto& [fields, how, patterns] : conditions) {
      if (!kHow.contains(how)) throw py::value_error("unknown way to match: " + how);
      interest.conditions.push_back({fields, kHow.at(how), patterns});
    }
  }
  return interests;
}

// `route(module_id, directories, irrelevant_extensions, namespaces, ticks, sources, undeclared)` of
// a class whose `routes(self)` gives the Routes.
template <class Class, class Of>
void def_route(Class& bound, const char* name, Of routes) {
  bound.def(
      name,
      [routes](typename Class::type& self, const std::string& module,
               const std::vector<std::string>& directories,
               const std::vector<std::string>& irrelevant_extensions,
               const std::vector<std::string>& namespaces, bool ticks,
               const std::vector<GivenInterest>& sources, bool undeclared) {
        routes(self).add(module, {directories, irrelevant_extensions, namespaces, ticks,
                                  source_interests(sources), undeclared});
      },
      py::arg("module_id"), py::arg("directories") = std::vector<std::string>(),
      py::arg("irrelevant_extensions") = std::vector<std::string>(),
      py::arg("namespaces") = std::vector<std::string>(), py::arg("ticks") = false,
      py::arg("sources") = std::vector<GivenInterest>(), py::arg("undeclared") = false);
}

}  // namespace prefrontal::bindings
