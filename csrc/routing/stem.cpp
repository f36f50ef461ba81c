#include "csrc/routing/stem.hpp"

#include <algorithm>

#include "csrc/routing/words.hpp"

namespace prefrontal::routing {
namespace {

bool vowel(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y'; }

bool has_vowel(std::string_view word) { return std::ranges::any_of(word, vowel); }

int vowel_groups(std::string_view word) {
  int groups = 0;
  for (std::size_t i = 0; i < word.size(); ++i)
    groups += vowel(word[i]) && (i == 0 || !vowel(word[i - 1])) ? 1 : 0;
  return groups;
}

// One syllable that ends consonant, vowel, consonant: its final e is kept or put back ("make").
bool wants_e(std::string_view word) {
  const std::size_t n = word.size();
  if (n == 2) return vowel(word[0]) && !vowel(word[1]);  // "us", "ag"
  if (n < 3 || vowel(word[n - 1]) || !vowel(word[n - 2]) || vowel(word[n - 3])) return false;
  const char last = word[n - 1];
  return last != 'w' && last != 'x' && vowel_groups(word) == 1;
}

bool twin_consonant(std::string_view word, std::string_view but) {
  const std::size_t n = word.size();
  return n >= 2 && word[n - 1] == word[n - 2] && !vowel(word[n - 1]) &&
         but.find(word[n - 1]) == std::string_view::npos;
}

bool ends(std::string_view word, std::string_view ending, std::size_t least_left) {
  return word.size() >= ending.size() + least_left && word.ends_with(ending);
}

void cut(std::string& word, std::size_t n) { word.erase(word.size() - n); }

void cut_plural(std::string& word) {
  if (ends(word, "ies", 2)) {
    cut(word, 3);
    word += 'y';
  } else if (ends(word, "s", 2) && !ends(word, "ss", 0) && !ends(word, "us", 0) &&
             !ends(word, "is", 0) && !(word.size() == 3 && vowel(word[1]))) {
    cut(word, 1);
  }
}

// What stands before -ing, -ed or -er: "plott" -> "plot", "mak" -> "make". True for "plott".
bool mend(std::string& word, std::size_t least) {
  if (twin_consonant(word, "lszf") && word.size() > least) {
    cut(word, 1);
    return true;
  }
  if (wants_e(word)) word += 'e';
  return false;
}

// True when a form in -ate may have stood before the ending: not "formatted".
bool cut_verb_ending(std::string& word) {
  if (ends(word, "ied", 2)) {
    cut(word, 3);
    word += 'y';
    return false;
  }
  if (ends(word, "eed", 0) || word == "embed") return false;
  const std::size_t n = ends(word, "ing", 2) ? 3 : ends(word, "ed", 2) ? 2 : 0;
  if (n == 0 || !has_vowel(std::string_view(word).substr(0, word.size() - n))) return false;
  cut(word, n);
  return !mend(word, 3);
}

bool cut_final_e(std::string& word) {
  if (!ends(word, "e", 3)) return false;
  if (wants_e(std::string_view(word).substr(0, word.size() - 1))) return false;
  cut(word, 1);
  return true;
}

// -ation, -ator, -ate and -ion: "calculation", "calculator" and "calculate" -> "calcul".
bool cut_noun_of_action(std::string& word, bool verb) {
  if (ends(word, "ification", 3)) {
    cut(word, 7);  // "notif"
    return false;
  }
  const bool ator = ends(word, "ator", 4);
  if (ator) cut(word, 2);
  verb = verb || ator || ends(word, "ation", 3);
  if (ends(word, "ion", 5)) cut(word, 3);
  if (verb && ends(word, "at", 4)) {
    const char before = word[word.size() - 3];
    if (before != 'e' && before != 'o') cut(word, 2);
  }
  return verb;
}

bool cut_doer(std::string& word) {
  if (ends(word, "tor", 4)) {
    cut(word, 2);
  } else if (ends(word, "er", 4)) {
    const std::string_view left(word.data(), word.size() - 2);
    if (left.size() == 4 && twin_consonant(left, "lszf")) return false;  // "letter", "summer"
    cut(word, 2);
    mend(word, 4);
    return true;
  }
  return false;
}

// -ise, -ize, -yse and -yze without their e: "visualis" -> "visual", "analys" -> "analyz".
void cut_maker(std::string& word, bool verb) {
  if (verb && (ends(word, "is", 4) || ends(word, "ys", 4))) word.back() = 'z';
  if (ends(word, "iz", 4)) cut(word, 2);
}

void cut_derived(std::string& word, bool verb) {
  if (ends(word, "ery", 4)) cut(word, 1);
  if (ends(word, "ly", 4)) cut(word, 2);
  if (ends(word, "val", 3) || ends(word, "wal", 3)) cut(word, 2);
  verb = cut_noun_of_action(word, verb);
  if (ends(word, "ment", 3) && word[word.size() - 5] != 'm') cut(word, 4);
  verb = cut_doer(word) || verb;
  cut_maker(word, verb);
  if (ends(word, "y", 4) && !vowel(word[word.size() - 2])) cut(word, 1);
  if (ends(word, "ll", 1) && vowel_groups(word) > 1) cut(word, 1);
}

}  // namespace

void stem(std::string& word) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (word.size() < 3 || !std::ranges::all_of(word, letter)) return;
  respell(word);
  cut_plural(word);
  const bool verb = cut_verb_ending(word);
  const bool final_e = cut_final_e(word);
  cut_derived(word, verb || final_e);
}

std::vector<std::string> tokens(std::string_view text) {
  std::vector<std::string> out;
  WordReader words(text);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    out.emplace_back(word);
    stem(out.back());
  }
  return out;
}

}  // namespace prefrontal::routing
