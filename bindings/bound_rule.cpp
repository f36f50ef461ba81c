#include "bound_rule.hpp"

#include <pybind11/stl.h>

#include "named_arrays.hpp"
#include "rule_arguments.hpp"
#include "words.hpp"

namespace prefrontal::bindings {

using control::BiasForm;
using control::RuleOptions;
using simd::kRule;
using simd::kSummary;

BoundRule::BoundRule(const RuleOptions& options, control::Parameters parameters, int count)
    : RuleState(options, std::move(parameters)),
      candidates(count),
      z_delta(numbers(shaped(*this, {kSummary}))),
      z_world(z_delta),
      summaries(numbers(shaped(*this, {count, kSummary}))),
      biases(numbers(shaped(*this, {count}))) {}

namespace {

int within(const char* what, int value, int most) {
  if (value >= 1 && value <= most) return value;
  throw py::value_error(std::string(what) + " must be 1 to " + std::to_string(most) + ", got " +
                        std::to_string(value));
}

BoundRule* new_rule(py::handle parameters, double eta, double pool, double scale,
                    const std::string& bound, const std::string& form, double gain, bool centred,
                    std::optional<int> environments, int candidates) {
  RuleOptions options{eta, pool, scale, gain};
  options.smooth = one_of("bias_bound", bound, {"clamp", "tanh"}) == 1;
  options.form = static_cast<BiasForm>(one_of("form", form, {"per_candidate", "uniform", "gain"}));
  options.centred = centred;
  options.environments = environments ? within("environments", *environments, 1 << 20) : 0;
  check(options);
  within("candidates", candidates, 1 << 16);
  if (options.environments > (1 << 24) / candidates)
    throw py::value_error("environments * candidates must be 1 to 16777216, got " +
                          std::to_string(std::int64_t{options.environments} * candidates));
  return new BoundRule(options, named_arrays(parameters, rule_shapes(options)), candidates);
}

py::array get_rule(const BoundRule& state) {
  py::array_t<float> out(shaped(state, {kRule}));
  std::copy(state.rule().begin(), state.rule().end(), out.mutable_data());
  return out;
}

auto rule_view(std::vector<float> BoundRule::* field, Shape rest, bool writable) {
  return [field, rest, writable](const py::object& self) {
    auto& state = self.cast<BoundRule&>();
    Shape shape = rest;
    for (auto& size : shape) size = size == kAny ? state.candidates : size;
    return shared_view((state.*field).data(), shaped(state, shape), self, writable);
  };
}

}  // namespace

void def_made(py::class_<BoundRule>& rule) {
  rule.def(py::init(&new_rule), py::arg("parameters"), py::kw_only(), py::arg("update_eta") = 0.05,
           py::arg("world_pool_weight") = 0.5, py::arg("bias_scale") = 0.1,
           py::arg("bias_bound") = "clamp", py::arg("form") = "per_candidate",
           py::arg("override_gain") = 0.0, py::arg("centre_summaries") = false,
           py::arg("environments") = py::none(), py::arg("candidates") = 32);
}

void def_kept(py::class_<BoundRule>& rule) {
  rule.def_property_readonly("z_delta", rule_view(&BoundRule::z_delta, {kSummary}, true))
      .def_property_readonly("z_world", rule_view(&BoundRule::z_world, {kSummary}, true))
      .def_property_readonly("summaries", rule_view(&BoundRule::summaries, {kAny, kSummary}, true))
      .def_property_readonly("biases", rule_view(&BoundRule::biases, {kAny}, false));
  rule.def("get_rule_state", &get_rule)
      .def(
          "set_rule_state",
          [](BoundRule& self, py::handle given) {
            self.set_rule({read_rule(self, given), self.rule().size()});
          },
          py::arg("rule"))
      .def(
          "reset",
          [](BoundRule& self, std::optional<long> environment) {
            environment ? self.reset(*environment) : self.reset();
          },
          py::arg("environment") = py::none());
}

}  // namespace prefrontal::bindings
