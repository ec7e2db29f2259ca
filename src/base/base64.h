#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace roost {

std::string base64_encode(std::string_view bytes);
void base64_append(std::string& out, std::string_view bytes);
// Takes the alphabet of URLs too, and does without the '=' at the end; nothing for anything else.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace roost
