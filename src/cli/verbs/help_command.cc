#include <memory>

#include "cli/help.h"
#include "cli/verbs/commands.h"

namespace roost {

void register_help(Verb& root, Console& console) {
  auto words = std::make_shared<std::vector<std::string>>();
  const VerbInfo* verbs = &root.info();
  root.verb("help", "Explain roost, or one of its verbs")
      .group(kShellGroup)
      .optional_arguments("VERB", *words, "as it is typed: submit, or compute create")
      .example("roost help submit")
      .action([verbs, words, &console]() -> Result<int> {
        ROOST_TRY(const VerbInfo* verb, find_verb(*verbs, *words));
        return Console::print(help_text(*verb, *verbs, console.colour(1), terminal_width(1)));
      });
}

}  // namespace roost
