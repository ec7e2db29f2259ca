#include <unistd.h>

#include <memory>
#include <optional>

#include "cli/show/run_text.h"
#include "cli/verbs/commands.h"
#include "cli/work/run_reference.h"
#include "cli/work/run_session.h"

namespace roost {
namespace {

struct ExecOptions {
  std::string reference;
  std::optional<std::int64_t> rank;
  std::vector<std::string> command;
};

Result<int> exec(Console& console, const ExecOptions& options, bool is_shell) {
  const bool is_terminal = ::isatty(0) == 1 && ::isatty(1) == 1;
  if (is_shell && !is_terminal) {
    return fail(ErrorCode::kInvalidArgument, "a shell needs a terminal; in pipes and scripts use 'roost exec RUN -- COMMAND'");
  }
  if (!is_shell && options.command.empty()) {
    return fail(ErrorCode::kInvalidArgument, "no command: write it after --, as in `roost exec @ -- nvidia-smi`");
  }
  ROOST_TRY(const ServerAddress server, console.address());
  ROOST_TRY(const Json run, find_run(console, options.reference));
  Json ask = {{"command", options.command}};
  if (is_shell) ask["command"] = {"/bin/sh", "-c", "command -v bash >/dev/null 2>&1 && exec bash || exec sh"};
  if (options.rank) ask["rank"] = *options.rank;
  if (is_terminal) ask["terminal"] = terminal_description();
  SessionEnds ends;
  ends.is_terminal = is_terminal;
  std::optional<RawTerminal> raw;
  if (is_terminal) raw.emplace();
  return pass_session(server, text_field(run, "id"), ask, ends);
}

}  // namespace

void register_exec(Verb& root, Console& console) {
  auto options = std::make_shared<ExecOptions>();
  root.verb("exec", "Run a command inside a run, with its environment, files and GPUs")
      .group(kLookGroup)
      .argument("RUN", options->reference, "id, a beginning of it, or @ for the newest")
      .option("--rank", options->rank, "N", "in the place of this rank (default: 0)")
      .command(options->command, "the program and its arguments; no shell reads them")
      .details(
          "It sees what the run's processes see and is limited as they are, ends with the run, and leaves a line in the "
          "run's history. In pipes bytes go through as they are; the exit code is the command's.")
      .example("roost exec @ -- nvidia-smi")
      .example("roost exec birds-12 --rank 3 -- py-spy dump --pid 2")
      .example("roost exec @ -- tar c outputs | tar x")
      .action([&console, options] { return exec(console, *options, false); });
}

void register_shell(Verb& root, Console& console) {
  auto options = std::make_shared<ExecOptions>();
  root.verb("shell", "Open a shell inside a run")
      .group(kLookGroup)
      .argument("RUN", options->reference, "id, a beginning of it, or @ for the newest")
      .option("--rank", options->rank, "N", "in the place of this rank (default: 0)")
      .example("roost shell @")
      .action([&console, options] { return exec(console, *options, true); });
}

}  // namespace roost
