// Tables of words that no rule of stem.cpp brings together.
#include <algorithm>
#include <array>

#include "csrc/routing/stem.hpp"

namespace prefrontal::routing {
namespace {

struct Pair {
  std::string_view from;
  std::string_view to;
};

// Beginnings of words, sorted: British -> American.
constexpr auto kBeginnings = std::to_array<Pair>({
    {"aeroplane", "airplane"},
    {"ageing", "aging"},
    {"aluminium", "aluminum"},
    {"anaesth", "anesth"},
    {"analogue", "analog"},
    {"artefact", "artifact"},
    {"behaviour", "behavior"},
    {"catalogue", "catalog"},
    {"centimetre", "centimeter"},
    {"centre", "center"},
    {"cheque", "check"},
    {"colour", "color"},
    {"defence", "defense"},
    {"dialogue", "dialog"},
    {"draught", "draft"},
    {"encyclopaed", "encycloped"},
    {"endeavour", "endeavor"},
    {"enquir", "inquir"},
    {"favour", "favor"},
    {"fibre", "fiber"},
    {"flavour", "flavor"},
    {"grey", "gray"},
    {"harbour", "harbor"},
    {"honour", "honor"},
    {"humour", "humor"},
    {"jewellery", "jewelry"},
    {"judgement", "judgment"},
    {"kerb", "curb"},
    {"kilometre", "kilometer"},
    {"labour", "labor"},
    {"licence", "license"},
    {"litre", "liter"},
    {"manoeuvr", "maneuver"},
    {"maths", "math"},
    {"metre", "meter"},
    {"millimetre", "millimeter"},
    {"mould", "mold"},
    {"mum", "mom"},
    {"neighbour", "neighbor"},
    {"offence", "offense"},
    {"orthopaed", "orthoped"},
    {"paediatr", "pediatr"},
    {"plough", "plow"},
    {"practise", "practice"},
    {"pyjama", "pajama"},
    {"rumour", "rumor"},
    {"sceptic", "skeptic"},
    {"theatre", "theater"},
    {"tumour", "tumor"},
    {"tyre", "tire"},
    {"vapour", "vapor"},
});

// Whole words, sorted: an irregular form -> the plain one.
constexpr auto kIrregular = std::to_array<Pair>({
    {"analyses", "analyze"},  {"analysis", "analyze"},
    {"analytic", "analyze"},  {"analytics", "analyze"},
    {"ate", "eat"},           {"began", "begin"},
    {"begun", "begin"},       {"bought", "buy"},
    {"brought", "bring"},     {"built", "build"},
    {"calories", "calorie"},  {"children", "child"},
    {"chose", "choose"},      {"chosen", "choose"},
    {"cookies", "cookie"},    {"did", "do"},
    {"does", "do"},           {"done", "do"},
    {"drawn", "draw"},        {"drew", "draw"},
    {"eaten", "eat"},         {"found", "find"},
    {"gave", "give"},         {"given", "give"},
    {"gone", "go"},           {"got", "get"},
    {"gotten", "get"},        {"has", "have"},
    {"held", "hold"},         {"indices", "index"},
    {"kept", "keep"},         {"knew", "know"},
    {"known", "know"},        {"lost", "lose"},
    {"made", "make"},         {"matrices", "matrix"},
    {"men", "man"},           {"met", "meet"},
    {"movies", "movie"},      {"news", "news"},
    {"paid", "pay"},          {"people", "person"},
    {"programme", "program"}, {"programmes", "program"},
    {"ran", "run"},           {"said", "say"},
    {"saw", "see"},           {"seen", "see"},
    {"sent", "send"},         {"series", "series"},
    {"shown", "show"},        {"sold", "sell"},
    {"spent", "spend"},       {"taken", "take"},
    {"thought", "think"},     {"told", "tell"},
    {"took", "take"},         {"understood", "understand"},
    {"vertices", "vertex"},   {"went", "go"},
    {"women", "woman"},       {"won", "win"},
    {"written", "write"},     {"wrote", "write"},
});

}  // namespace

void respell(std::string& word) {
  const auto before = [](const Pair& pair, std::string_view asked) { return pair.from < asked; };
  const std::string_view asked = word;
  const auto* whole = std::lower_bound(kIrregular.begin(), kIrregular.end(), asked, before);
  if (whole != kIrregular.end() && whole->from == asked) {
    word = whole->to;
    return;
  }
  // No beginning is the beginning of another, so only the last one not after the word can fit.
  const auto after = [](std::string_view text, const Pair& pair) { return text < pair.from; };
  const auto* next = std::upper_bound(kBeginnings.begin(), kBeginnings.end(), asked, after);
  if (next == kBeginnings.begin()) return;
  const Pair& pair = *(next - 1);
  if (asked.starts_with(pair.from)) word.replace(0, pair.from.size(), pair.to);
}

}  // namespace prefrontal::routing
