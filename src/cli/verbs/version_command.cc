#include "cli/verbs/commands.h"

namespace roost {

void register_version(Verb& root, Console& console) {
  const auto print = [&console]() -> Result<int> {
    if (console.json()) return console.print_json({{"version", ROOST_VERSION}});
    return Console::print("roost " ROOST_VERSION "\n");
  };
  root.verb("version", "Print the version of this program").group(kShellGroup).action(print);
}

}  // namespace roost
