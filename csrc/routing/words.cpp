#include "csrc/routing/words.hpp"

#include <algorithm>
#include <array>

namespace prefrontal::routing {
namespace {

constexpr std::size_t kLongest = 64;  // bytes of a word that count

struct Range {
  char32_t first;
  char32_t last;
};

// Punctuation, spaces and symbols beyond ASCII.
constexpr std::array<Range, 12> kGaps{{{0x80, 0xA9},
                                       {0xAB, 0xB4},
                                       {0xB6, 0xB9},
                                       {0xBB, 0xBF},
                                       {0xD7, 0xD7},
                                       {0xF7, 0xF7},
                                       {0x2000, 0x2BFF},
                                       {0x3000, 0x303F},
                                       {0xFE00, 0xFE6F},
                                       {0xFEFF, 0xFF0F},
                                       {0xFF1A, 0xFF20},
                                       {0xFF3B, 0xFF40}}};
// Written without gaps, or meaning something one by one.
constexpr std::array<Range, 6> kSingles{{{0x3040, 0x30FF},
                                         {0x3400, 0x4DBF},
                                         {0x4E00, 0x9FFF},
                                         {0xF900, 0xFAFF},
                                         {0x1F000, 0x1FAFF},
                                         {0x20000, 0x3FFFF}}};

// Space and punctuation of ASCII.
bool plain_gap(char c) {
  static constexpr auto gaps = [] {
    std::array<bool, 256> table{};
    for (int code = 0; code < 128; ++code) {
      const bool letter = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
      table[static_cast<std::size_t>(code)] = !letter && !(code >= '0' && code <= '9');
    }
    return table;
  }();
  return gaps[static_cast<unsigned char>(c)];
}

bool plain_letter(char c) { return c >= 'a' && c <= 'z'; }

template <std::size_t n>
bool within(const std::array<Range, n>& ranges, char32_t code) {
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

// Latin-1, Latin Extended-A, Greek and Cyrillic; other capitals are left as they are.
char32_t lowered(char32_t code) {
  if (code < 0xC0 || code > 0x42F) return code;
  if (code <= 0xDE) return code + 0x20;  // 0xD7 is a gap
  const bool even_is_capital = (code >= 0x100 && code <= 0x137) || (code >= 0x14A && code <= 0x177);
  const bool odd_is_capital = (code >= 0x139 && code <= 0x148) || (code >= 0x179 && code <= 0x17E);
  if (even_is_capital) return code | 1U;
  if (odd_is_capital) return code + (code & 1U);
  if (code >= 0x391 && code <= 0x3A9) return code + 0x20;
  if (code >= 0x400 && code <= 0x40F) return code + 0x50;
  return code >= 0x410 ? code + 0x20 : code;
}

}  // namespace

WordReader::Letter WordReader::classified(char32_t code, unsigned char size) {
  if (code >= 'a' && code <= 'z') return {Kind::lower, size, code, false};
  if (code >= 'A' && code <= 'Z') return {Kind::upper, size, code + ('a' - 'A'), false};
  if (code >= '0' && code <= '9') return {Kind::digit, size, code, false};
  if (code < 0x80) return {Kind::gap, size, 0, code == '\''};
  if (within(kGaps, code)) return {Kind::gap, size, 0, code == 0x2019};
  if (within(kSingles, code)) return {Kind::single, size, code};
  const char32_t folded = lowered(code);
  return {folded == code ? Kind::lower : Kind::upper, size, folded};
}

WordReader::Letter WordReader::read(std::size_t at) const {
  if (at >= text_.size()) return {};
  const auto lead = static_cast<unsigned char>(text_[at]);
  if (lead < 0x80) return classified(lead, 1);
  const unsigned size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC0 || at + size > text_.size()) return {Kind::gap, 1, 0};  // not UTF-8
  char32_t code = lead & (0x7FU >> size);
  for (unsigned i = 1; i < size; ++i) code = code << 6U | (text_[at + i] & 0x3FU);
  return classified(code, static_cast<unsigned char>(size));
}

// A capital starts a word after a small letter, after a digit when a small letter follows
// ("Base64Encode", but "3D"), and after a capital when a small letter follows ("HTTPServer", but
// "PDFs").
bool WordReader::ends_before(const Letter& previous, const Letter& here, std::size_t after) const {
  if (!in_word(here.kind)) return true;
  if (here.kind != Kind::upper) return false;
  if (previous.kind == Kind::lower) return true;
  const Letter next = read(after);
  if (next.kind != Kind::lower) return false;
  const bool plural = next.folded == 's' && !in_word(read(after + next.size).kind);
  return !plural;
}

// "don't" is one word; "matrix's" is "matrix".
void WordReader::skip_apostrophe(const Letter& previous) {
  if (previous.kind == Kind::digit || at_ >= text_.size()) return;
  if (text_[at_] != '\'' && static_cast<unsigned char>(text_[at_]) != 0xE2) return;
  const Letter mark = read(at_);
  if (!mark.apostrophe) return;
  const Letter next = read(at_ + mark.size);
  if (next.kind != Kind::lower) return;
  const std::size_t after = at_ + mark.size + next.size;
  const bool possessive = next.folded == 's' && !in_word(read(after).kind);
  at_ = possessive ? after : at_ + mark.size;
}

void WordReader::append(char32_t code) {
  char bytes[4];
  std::size_t size = 0;
  if (code < 0x80) {
    bytes[size++] = static_cast<char>(code);
  } else {
    const unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    bytes[size++] = static_cast<char>((0xF0U << (3 - more) & 0xFFU) | code >> 6U * more);
    for (unsigned i = more; i-- > 0;)
      bytes[size++] = static_cast<char>(0x80U | (code >> 6U * i & 0x3FU));
  }
  if (word_.size() + size <= kLongest) word_.append(bytes, size);
}

// Small ASCII letters up to a plain gap, where such a word starts here: most words of most texts.
std::string_view WordReader::plain_word() {
  std::size_t end = at_;
  while (end < text_.size() && plain_letter(text_[end])) ++end;
  if (end == at_ || (end < text_.size() && (!plain_gap(text_[end]) || text_[end] == '\'')))
    return {};
  start_ = at_;
  at_ = end;
  return text_.substr(start_, std::min(kLongest, end - start_));
}

// The small ASCII letters that follow, which never end a word.
void WordReader::read_plain(Letter& previous) {
  std::size_t end = at_;
  while (end < text_.size() && plain_letter(text_[end])) ++end;
  if (end == at_) return;
  const std::size_t room = kLongest - std::min(kLongest, word_.size());
  word_.append(text_.substr(at_, std::min(room, end - at_)));
  at_ = end;
  previous = {Kind::lower, 1, static_cast<unsigned char>(text_[end - 1])};
}

std::string_view WordReader::next() {
  while (at_ < text_.size() && plain_gap(text_[at_])) ++at_;
  if (const std::string_view word = plain_word(); !word.empty()) return word;
  word_.clear();
  Letter here = read(at_);
  while (here.kind == Kind::gap) here = read(at_ += here.size);
  start_ = at_;
  if (here.kind == Kind::end) return {};
  if (here.kind == Kind::single) {
    at_ += here.size;
    append(here.folded);
    return word_;
  }
  Letter previous;
  do {
    append(here.folded);
    at_ += here.size;
    previous = here;
    read_plain(previous);
    if (at_ < text_.size() && plain_gap(text_[at_]) && text_[at_] != '\'') return word_;
    skip_apostrophe(previous);
    here = read(at_);
  } while (!ends_before(previous, here, at_ + here.size));
  return word_;
}

}  // namespace prefrontal::routing
