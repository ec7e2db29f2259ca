#include <memory>

#include "cli/show/run_text.h"
#include "cli/verbs/commands.h"
#include "cli/work/follow.h"
#include "cli/work/run_reference.h"
#include "cli/work/run_spec.h"
#include "cli/work/submit.h"

namespace roost {
namespace {

Result<int> rerun(Console& console, const std::string& reference, const AfterSubmit& after) {
  ROOST_TRY(const Json run, find_run(console, reference));
  ROOST_TRY(const Json spec, spec_to_repeat(run));
  InterruptWatch watch;
  ROOST_TRY(const Json again, post_run(console, text_field(run, "workspace"), spec));
  return after_submit(console, again, after, watch);
}

}  // namespace

void register_rerun(Verb& root, Console& console) {
  struct Options {
    std::string reference;
    AfterSubmit after;
  };
  auto options = std::make_shared<Options>();
  root.verb("rerun", "Repeat a run exactly: same code, command, versions and compute")
      .group(kTrainGroup)
      .ends_as_run()
      .argument("RUN", options->reference, "its id, the beginning of it, or @ for the newest")
      .flag("-d,--detach,--no-follow", options->after.detach,
            "do not wait: print the new run's id and end")
      .flag("--all-ranks", options->after.all_ranks,
            "show the output of all processes, not only the first's")
      .example("roost rerun @")
      .action([&console, options] { return rerun(console, options->reference, options->after); });
}

}  // namespace roost
