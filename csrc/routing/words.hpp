// Words of a name or a sentence: split at punctuation, underscores and camel case, lower case.
//
// "getHTTPStatus", "get_http_status" and "get HTTP status" have the same words. Letters beyond
// ASCII stay whole; an ideograph, a kana or an emoji is a word by itself. No locale is asked.
#pragma once

#include <string>
#include <string_view>

namespace prefrontal::routing {

// Reads words one after the other; a word holds at most 64 bytes, what is longer is cut.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}

  // The next word, valid until the next call and while the text is; empty at the end.
  std::string_view next();

  // The same word as it stands in the text.
  std::string_view typed() const { return text_.substr(start_, at_ - start_); }

 private:
  enum class Kind : unsigned char { end, gap, lower, upper, digit, single };
  struct Letter {
    Kind kind = Kind::end;
    unsigned char size = 0;   // bytes in the text
    char32_t folded = 0;      // in lower case
    bool apostrophe = false;  // a gap that may be inside a word
  };

  Letter read(std::size_t at) const;
  static Letter classified(char32_t code, unsigned char size);
  static bool in_word(Kind kind) { return kind >= Kind::lower && kind <= Kind::digit; }
  bool ends_before(const Letter& previous, const Letter& here, std::size_t after) const;
  void skip_apostrophe(const Letter& previous);
  void read_plain(Letter& previous);
  std::string_view plain_word();
  void append(char32_t code);

  std::string_view text_;
  std::size_t start_ = 0;  // of the word read last
  std::size_t at_ = 0;
  std::string word_;
};

}  // namespace prefrontal::routing
