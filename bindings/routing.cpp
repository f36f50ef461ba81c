// prefrontal._core.routing: words and edit distance.
#include "routing.hpp"

#include <pybind11/pybind11.h>

#include "csrc/routing/levenshtein.hpp"
#include "csrc/routing/lexicon.hpp"
#include "csrc/routing/ranking.hpp"
#include "csrc/routing/stem.hpp"
#include "csrc/routing/stop_words.hpp"
#include "csrc/routing/word_vectors.hpp"

namespace py = pybind11;
using namespace prefrontal::routing;

namespace prefrontal::bindings {

std::string_view utf8(py::handle text, std::string& spare) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();
  spare = py::bytes(text.attr("encode")("utf-8", "surrogatepass"));
  return spare;
}

py::str text_of(std::string_view utf8) {
  PyObject* text =
      PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "surrogatepass");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

}  // namespace prefrontal::bindings

namespace {

using prefrontal::bindings::text_of;
using prefrontal::bindings::utf8;

py::list tokens_of(const py::str& text) {
  std::string spare;
  py::list out;
  for (const std::string& token : tokens(utf8(text, spare))) out.append(text_of(token));
  return out;
}

std::uint32_t edits(const py::str& first, const py::str& second) {
  std::string spare[2];
  const std::string_view word = utf8(first, spare[0]);
  if (word.size() > kLongestPattern) {
    throw py::value_error("first must be at most 64 bytes long, got " +
                          std::to_string(word.size()));
  }
  return EditPattern(word).distance(utf8(second, spare[1]));
}

py::dict read_lexicon(const py::bytes& file) {
  const auto bytes = static_cast<std::string_view>(file);
  const Lexicon lexicon({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  py::dict out;
  for (std::uint32_t at = 0; at < lexicon.size(); ++at) {
    py::list near;
    for (const auto& [stem, likeness] : lexicon.near_stems(at))
      near.append(py::make_tuple(text_of(stem), likeness));
    out[text_of(lexicon.stem(at))] = py::make_tuple(lexicon.weight(at), near);
  }
  return out;
}

py::dict read_word_vectors(const py::bytes& file) {
  const auto bytes = static_cast<std::string_view>(file);
  const WordVectors words({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  py::dict out;
  for (std::uint32_t at = 0; at < words.size(); ++at) {
    const auto vector = words.vector(at);
    out[text_of(words.stem(at))] =
        py::bytes(reinterpret_cast<const char*>(vector.data()), kMeaning);
  }
  return out;
}

py::object word_cosine(const py::str& first, const py::str& second) {
  std::string spare[2];
  const WordVectors& words = word_vectors();
  const std::uint32_t one = words.find(utf8(first, spare[0]));
  const std::uint32_t other = words.find(utf8(second, spare[1]));
  if (one == words.size() || other == words.size()) return py::none();
  return py::float_(cosine(words.vector(one), words.vector(other)));
}

}  // namespace

void register_routing(py::module_& m) {
  py::module_ routing = m.def_submodule("routing");
  routing.def("tokens", &tokens_of, py::arg("text"));
  routing.def(
      "is_stop_word",
      [](const py::str& stem) {
        std::string spare;
        return is_stop_word(utf8(stem, spare));
      },
      py::arg("stem"));
  routing.def("calibrated", &calibrated, py::arg("total"), py::arg("slope"), py::arg("reached"));
  routing.def("levenshtein", &edits, py::arg("first"), py::arg("second"));
  routing.def("read_lexicon", &read_lexicon, py::arg("file"));
  routing.def("read_word_vectors", &read_word_vectors, py::arg("file"));
  routing.def("word_cosine", &word_cosine, py::arg("first"), py::arg("second"));
  register_tool_index(routing);
}
