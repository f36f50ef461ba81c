#include <algorithm>
#include <array>

#include "csrc/pulse/sparse_features.hpp"

namespace prefrontal::pulse {
namespace {

constexpr std::array<std::string_view, 27> kCode = {
    ".c",   ".cc", ".cpp", ".cs", ".go",  ".h",     ".hpp", ".java", ".js",
    ".jsx", ".kt", ".lua", ".m",  ".php", ".pl",    ".pxd", ".py",   ".pyi",
    ".pyx", ".rb", ".rs",  ".sh", ".sql", ".swift", ".ts",  ".tsx",  ".vue"};
constexpr std::array<std::string_view, 4> kDocs = {".adoc", ".md", ".rst", ".txt"};
constexpr std::array<std::string_view, 9> kConfig = {".cfg",  ".cnf",  ".in",   ".ini", ".json",
                                                     ".lock", ".toml", ".yaml", ".yml"};

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// ASCII alone: the C library's answer changes with the locale.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

// "test", "tests" or "testing" as a whole word of the path.
bool names_a_test(std::string_view location) {
  static constexpr std::string_view kWord = "test";
  for (std::size_t at = 0; at + kWord.size() <= location.size(); ++at) {
    if (at > 0 && is_letter(location[at - 1])) continue;
    std::size_t end = at;
    while (end < location.size() && is_letter(location[end])) ++end;
    std::string word(location.substr(at, std::min<std::size_t>(end - at, 8)));
    for (char& c : word) c = lower(c);
    if (word == "test" || word == "tests" || word == "testing") return true;
    at = std::max(at, end);
  }
  return false;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = lower(c);
  return small;
}

std::string lower_extension(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return {};
  return lower_case(name.substr(dot));
}

std::string double_extension(std::string_view name) {
  constexpr std::size_t kLongest = 6;
  const std::size_t last = name.rfind('.');
  if (last == std::string_view::npos || last < 2 || last + 1 == name.size()) return {};
  const std::size_t dot = name.rfind('.', last - 1);
  if (dot == std::string_view::npos || dot == 0) return {};
  const std::string_view word = name.substr(dot + 1, last - dot - 1);
  if (word.empty() || word.size() > kLongest || !std::all_of(word.begin(), word.end(), is_letter))
    return {};
  return lower_case(name.substr(dot));
}

std::string_view file_kind(std::string_view location, std::string_view lower_ext) {
  if (names_a_test(location)) return "tests";
  const bool in_docs = location.starts_with("docs/") || location.starts_with("doc/") ||
                       location.find("/docs/") != std::string_view::npos ||
                       location.find("/doc/") != std::string_view::npos;
  if (in_docs || holds(kDocs, lower_ext)) return "docs";
  if (holds(kCode, lower_ext)) return "code";
  if (holds(kConfig, lower_ext) || location.starts_with(".")) return "config";
  return "other";
}

}  // namespace prefrontal::pulse
