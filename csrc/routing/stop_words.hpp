// Words that say nothing about which tool is meant: articles, pronouns, politeness.
#pragma once

#include <string_view>

namespace prefrontal::routing {

// `stem` as tokens() gives it.
bool is_stop_word(std::string_view stem);

}  // namespace prefrontal::routing
