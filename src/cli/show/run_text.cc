#include "cli/show/run_text.h"

#include <string.h>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/times.h"
#include "domain/run_params.h"

namespace roost {
namespace {

const Json kNull;

}  // namespace

const Json& child(const Json& object, const char* name) {
  if (!object.is_object()) return kNull;
  const auto it = object.find(name);
  return it == object.end() ? kNull : *it;
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return to_text(value);
}

std::string text_field(const Json& object, const char* name) {
  return value_text(child(object, name));
}

std::string short_run_id(const std::string& id) {
  constexpr std::size_t kDigits = 8;
  constexpr std::size_t kSeconds = 10;
  if (id.size() < kDigits + kSeconds + 3) return id;
  const std::string last = id.substr(id.size() - kDigits);
  const std::string time = id.substr(id.size() - kDigits - 1 - kSeconds, kSeconds);
  const bool is_ours = id[id.size() - kDigits - 1] == '_' && last.find_first_not_of("0123456789abcdef") == std::string::npos &&
                       id[id.size() - kDigits - kSeconds - 2] == '_' && time.find_first_not_of("0123456789") == std::string::npos;
  return is_ours ? last : id;
}

bool is_terminal_status(std::string_view status) {
  return status == "Completed" || status == "Failed" || status == "Canceled";
}

std::string spec_command(const Json& spec) {
  if (const std::string command = text_field(spec, "command"); !command.empty()) return command;
  std::string text = text_field(spec, "script");
  if (!text.empty()) text = shell_quote(text);
  for (const Json& argument : child(spec, "arguments")) {
    // Not quoted when it asks for expansion on the node, so that it reads as it was written.
    const std::string word = value_text(argument);
    text += " " + (word.find('$') == std::string::npos ? shell_quote(word) : word);
  }
  return text;
}

Json logged_params(const Json& run) {
  Json logged = child(run, "params");
  if (!logged.is_object()) return Json::object();
  for (const auto& param : run_params(child(run, "spec"))) {
    if (const auto same = logged.find(param.name); same != logged.end() && *same == param.value) logged.erase(same);
  }
  return logged;
}

std::string tags_text(const Json& tags) {
  std::string text;
  if (!tags.is_object()) return text;
  for (const auto& [key, value] : tags.items()) {
    if (!text.empty()) text += " ";
    text += key;
    if (const std::string shown = value_text(value); !shown.empty()) text += "=" + shown;
  }
  return text;
}

int run_exit_code(const Json& run) {
  if (const Json& signal = child(run, "signal"); signal.is_number_integer()) {
    if (const int number = signal.get<int>(); number > 0 && number < 128) return 128 + number;
  }
  if (const Json& code = child(run, "exit_code"); code.is_number_integer()) {
    if (const int number = code.get<int>(); number != 0) return number & 0xFF ? number & 0xFF : kEndedOtherwise;
  }
  return text_field(run, "status") == "Completed" ? 0 : kEndedOtherwise;
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string run_outcome(const Json& run, Micros now) {
  const std::string status = text_field(run, "status");
  std::string text = status;
  if (const auto seconds = run_seconds(run, now)) {
    const char* word = status == "Completed" ? "in" : is_terminal_status(status) ? "after" : "for";
    text += fmt::format(" {} {}", word, human_duration(*seconds));
  }
  if (const Json& signal = child(run, "signal"); signal.is_number_integer()) {
    text += fmt::format(" by {}", signal_name(signal.get<int>()));
  } else if (const Json& code = child(run, "exit_code");
             code.is_number_integer() && status != "Completed") {
    text += fmt::format(" with exit code {}", code.get<int>());
  }
  return text;
}

}  // namespace roost
