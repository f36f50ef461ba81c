// A word reduced to what its forms share: "summarise", "Summarizing" and "summary" -> "summar".
//
// British spelling becomes American, then plural, verb and a few derived endings go, in the order
// written in stem.cpp. Lighter than Porter's stemmer; the result is compared, never shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prefrontal::routing {

// `word` in lower case. Words with digits or letters beyond ASCII stay as they are.
void stem(std::string& word);

// American spelling, or the plain form of an irregular verb or plural; see spelling.cpp.
void respell(std::string& word);

// The stems of the words of a text, in order, repeated where the text repeats them.
std::vector<std::string> tokens(std::string_view text);

}  // namespace prefrontal::routing
