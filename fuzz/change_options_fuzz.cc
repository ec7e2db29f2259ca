// Command lines of which single options are changed: what is read is written as it was, and a change stays one.
#include <cstdint>
#include <string>

#include "domain/change_options.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find('\n');
  const std::string line = text.substr(0, cut);
  const auto words = roost::command_words(line);
  if (!words) return 0;
  const auto again = roost::command_words(roost::command_line_of(*words));
  if (!again || again->size() != words->size()) __builtin_trap();
  // One with a value of its own has no second one.
  std::string change = cut == std::string::npos ? "--lr" : "--" + text.substr(cut + 1);
  change = change.substr(0, change.find('='));
  const auto changed = roost::change_options(*words, {change, "0.1"}, true);
  if (!changed) return 0;
  const auto twice = roost::change_options(*changed, {change, "0.1"}, true);
  if (!twice || roost::command_line_of(*twice) != roost::command_line_of(*changed)) __builtin_trap();
  return 0;
}
