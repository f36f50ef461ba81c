#include "csrc/sandbox/json.hpp"

#include <cstdio>
#include <set>
#include <string_view>

#include "csrc/sandbox/failure.hpp"

namespace prefrontal::sandbox {
namespace {

void append_utf8(std::string& text, unsigned code) {
  const auto byte = [&](unsigned value) { text.push_back(static_cast<char>(value)); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xE0 | code >> 12);
    } else {
      byte(0xF0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3F));
    }
    byte(0x80 | (code >> 6 & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<std::string> request() {
    expect('{');
    for (bool first = true; !next_is('}'); first = false) {
      if (!first) expect(',');
      entry();
    }
    space();
    if (at_ != text_.size()) fail_here("nothing after the object");
    words_.emplace_back("--");
    words_.insert(words_.end(), command_.begin(), command_.end());
    return words_;
  }

 private:
  void entry() {
    const std::string key = string();
    std::string option = "--" + key;
    for (char& letter : option)
      if (letter == '_') letter = '-';
    once(keys_, option, key);
    expect(':');
    if (key == "command") return list(command_);
    if (key == "variables") return variables();
    if (!next_is('[', false)) return add(option, value());
    std::vector<std::string> values;
    list(values);
    for (std::string& each : values) add(option, std::move(each));
  }

  void variables() {
    expect('{');
    for (bool first = true; !next_is('}'); first = false) {
      if (!first) expect(',');
      std::string name = string();
      if (name.find('=') != std::string::npos) fail_here("a name without =");
      once(names_, name, name);
      expect(':');
      add("--variable", name + "=" + string());
    }
  }

  // A reader of the request may have seen the first value, where the last one would count.
  static void once(std::set<std::string>& seen, const std::string& name, const std::string& key) {
    if (!seen.insert(name).second)
      throw Failure("the request must name each key once, got " + quoted(key) + " twice");
  }

  void list(std::vector<std::string>& values) {
    expect('[');
    for (bool first = true; !next_is(']'); first = false) {
      if (!first) expect(',');
      values.push_back(string());
    }
  }

  std::string value() { return next_is('"', false) ? string() : number(); }

  std::string number() {
    const std::size_t begin = at_;
    constexpr std::string_view kDigits = "+-.0123456789eE";
    while (at_ < text_.size() && kDigits.find(text_[at_]) != std::string_view::npos) ++at_;
    if (at_ == begin) fail_here("a text, a number or a list of texts");
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string string() {
    expect('"');
    std::string result;
    while (true) {
      if (at_ >= text_.size()) fail_here("the end of a text");
      const char letter = text_[at_++];
      if (letter == '"') return result;
      if (static_cast<unsigned char>(letter) < 0x20) fail_here("a text without control characters");
      if (letter == '\\') {
        escape(result);
      } else {
        result.push_back(letter);
      }
    }
  }

  void escape(std::string& result) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kLetters = "\"\\/\b\f\n\r\t";
    const char name = at_ < text_.size() ? text_[at_++] : '\0';
    if (name != 'u') {
      const std::size_t found = kNames.find(name);
      if (found == std::string_view::npos) fail_here("an escape of JSON");
      result.push_back(kLetters[found]);
      return;
    }
    unsigned code = unit();
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      const unsigned low = unit();
      if (low < 0xDC00 || low > 0xDFFF) fail_here("the second half of a pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code == 0 || (code >= 0xD800 && code < 0xE000)) fail_here("a character");
    append_utf8(result, code);
  }

  unsigned unit() {
    unsigned code = 0;
    for (int digit = 0; digit < 4; ++digit) {
      const char letter = at_ < text_.size() ? text_[at_++] : '\0';
      constexpr std::string_view kHex = "0123456789abcdef";
      const std::size_t value = kHex.find(static_cast<char>(letter | (letter > '9' ? 0x20 : 0)));
      if (value == std::string_view::npos) fail_here("four hexadecimal digits");
      code = code << 4 | static_cast<unsigned>(value);
    }
    return code;
  }

  void add(const std::string& option, std::string value) {
    words_.push_back(option);
    words_.push_back(std::move(value));
  }

  void space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) < 4) ++at_;
  }

  bool next_is(char letter, bool take = true) {
    space();
    const bool is = at_ < text_.size() && text_[at_] == letter;
    at_ += is && take ? 1 : 0;
    return is;
  }

  void expect(char letter) {
    if (!next_is(letter)) fail_here(std::string("'") + letter + "'");
  }

  [[noreturn]] void fail_here(const std::string& wanted) const {
    throw Failure("the request must be a JSON object; at byte " + std::to_string(at_) +
                  " there must be " + wanted);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> words_;
  std::vector<std::string> command_;
  std::set<std::string> keys_;   // as options: memory_mb and memory-mb are one
  std::set<std::string> names_;  // of variables
};

}  // namespace

std::vector<std::string> words_of_json(const std::string& text) { return Reader(text).request(); }

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {  // a path of another encoding than UTF-8 stays as it is
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      result += {'\\', letter};
    } else if (code < 0x20) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", code);
      result += escape;
    } else {
      result.push_back(letter);
    }
  }
  return result + "\"";
}

}  // namespace prefrontal::sandbox
