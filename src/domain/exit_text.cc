#include "domain/exit_text.h"

#include <string.h>

#include <csignal>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::int64_t kShellSignals = 128;  // a shell's exit code for a program that a signal ended

std::string killed_text(bool out_of_memory) {
  return out_of_memory ? ": out of memory, the kernel ended it" : "; often that is the kernel, out of memory";
}

}  // namespace

std::string signal_text(std::int64_t signal) {
  const char* name = signal > 0 && signal < 65 ? sigabbrev_np(static_cast<int>(signal)) : nullptr;
  if (!name) return fmt::format("signal {}", signal);
  return fmt::format("SIG{} ({})", name, lower(sigdescr_np(static_cast<int>(signal))));
}

std::string end_text(std::optional<std::int64_t> exit_code, std::optional<std::int64_t> signal,
                     bool out_of_memory) {
  if (signal) {
    std::string text = "was ended by " + signal_text(*signal);
    return *signal == SIGKILL ? text + killed_text(out_of_memory) : text;
  }
  const std::int64_t code = exit_code.value_or(-1);
  std::string text = fmt::format("ended with exit code {}", code);
  if (code > kShellSignals && code < kShellSignals + 65) {
    text += fmt::format(", which a shell uses for {}", signal_text(code - kShellSignals));
    if (code == kShellSignals + SIGKILL) text += killed_text(out_of_memory);
  } else if (code == 127) {
    text += ": the shell did not find the command";
  } else if (code == 126) {
    text += ": the command cannot be executed";
  }
  return text;
}

}  // namespace roost
