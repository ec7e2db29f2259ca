#include <memory>
#include <string>
#include <vector>

#include "cli/verbs/python_part.h"
#include "cli/verbs/server_verbs.h"

namespace roost {

void register_sync(Verb& root, Console& console) {
  struct Options {
    std::vector<std::string> folders;
    std::string python;
  };
  auto options = std::make_shared<Options>();
  root.verb("sync", "Hand in runs that roost.init(mode=\"offline\") wrote to folders")
      .group(kTrainGroup)
      .arguments("FOLDER", options->folders, "a folder below roost-offline; several are handed in one after the other")
      .option("--python", options->python, "FILE", "the Python that does it (default: python3)")
      .details("Prints the id and the address of each run. A folder that was handed in before is left as it is, so the same "
               "command can be repeated after any failure. Its runs have the times at which their metrics were logged.")
      .example("roost sync roost-offline/20261118-204512-a1b2c3")
      .example("roost sync roost-offline/*")
      .action([&console, options] {
        return become_python(console, {options->python, "roost/sync.py", options->folders, true});
      });
}

}  // namespace roost
