#include <memory>

#include "cli/completion_script.h"
#include "cli/verbs/commands.h"

namespace roost {

void register_completion(Verb& root, Console&) {
  auto shell = std::make_shared<std::string>();
  const VerbInfo* verbs = &root.info();
  root.verb("completion", "Print a script that completes roost's words in a shell")
      .group(kShellGroup)
      .argument("SHELL", *shell, "bash, zsh or fish")
      .example("source <(roost completion bash)")
      .action([verbs, shell]() -> Result<int> {
        ROOST_TRY(const std::string script, completion_script(*verbs, *shell));
        return Console::print(script);
      });
}

}  // namespace roost
