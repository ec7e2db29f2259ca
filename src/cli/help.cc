#include "cli/help.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/show/style.h"
#include "cli/show/text_width.h"

namespace roost {
namespace {

constexpr int kWidth = 100;
constexpr int kWidestLeft = 34;

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string left_of(const OptionInfo& option) {
  if (option.positional) return option.names.front() + (option.repeated ? "..." : "");
  // Long names of options without a short one line up with those that have one.
  std::string text = option.names.front().starts_with("--") ? "    " : "";
  for (std::size_t i = 0; i < option.names.size(); ++i) {
    if (i > 0) text += ", ";
    text += option.names[i];
  }
  if (!option.value.empty()) text += " " + option.value;
  return text;
}

std::string section(const std::string& title, const Rows& rows, const Style& style) {
  if (rows.empty()) return "";
  int left = 0;
  for (const auto& row : rows) left = std::max(left, std::min(kWidestLeft, text_width(row.first)));
  std::string out = "\n" + style(Tone::kBold, title) + "\n";
  for (const auto& [name, help] : rows) {
    out += "  " + style(Tone::kCyan, name);
    bool first = true;
    for (const std::string& line : wrap_text(help, kWidth - left - 5)) {
      const int used = text_width(name);
      if (first && used <= left) {
        out += std::string(static_cast<std::size_t>(left - used + 3), ' ');
      } else {
        out += "\n" + std::string(static_cast<std::size_t>(left + 5), ' ');
      }
      out += line;
      first = false;
    }
    out += "\n";
  }
  return out;
}

std::string usage(const VerbInfo& verb) {
  std::string text = verb.path;
  if (!verb.verbs.empty()) return text + " VERB [OPTIONS]";
  for (const OptionInfo& option : verb.options) {
    if (!option.positional && option.required) {
      text += " " + option.names.back() + " " + option.value;
    }
  }
  text += " [OPTIONS]";
  for (const OptionInfo& option : verb.options) {
    if (!option.positional || option.names.front() == "COMMAND") continue;
    const std::string name = left_of(option);
    text += option.required ? " " + name : " [" + name + "]";
  }
  return verb.takes_command ? text + " -- COMMAND..." : text;
}

std::string verbs_by_group(const VerbInfo& verb, const Style& style) {
  std::vector<std::pair<std::string, Rows>> groups;
  for (const auto& sub : verb.verbs) {
    if (sub->hidden) continue;
    const std::string title = sub->group.empty() ? "Verbs" : sub->group;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& known) { return known.first == title; });
    if (group == groups.end()) group = groups.insert(groups.end(), {title, {}});
    group->second.emplace_back(sub->name, sub->help);
  }
  // One left column for all groups.
  std::size_t widest = 0;
  for (const auto& group : groups) {
    for (const auto& row : group.second) widest = std::max(widest, row.first.size());
  }
  std::string out;
  for (auto& [title, rows] : groups) {
    for (auto& row : rows) row.first.resize(widest, ' ');
    out += section(title, rows, style);
  }
  return out;
}

}  // namespace

std::string help_text(const VerbInfo& verb, const VerbInfo& root, bool colour) {
  const Style style(colour);
  std::string out = verb.help + "\n\n" + style(Tone::kBold, "Usage") + "  " + usage(verb) + "\n";
  if (!verb.details.empty()) {
    out += "\n";
    for (const std::string& line : wrap_text(verb.details, kWidth)) out += line + "\n";
  }
  out += verbs_by_group(verb, style);
  Rows positional;
  Rows options;
  for (const OptionInfo& option : verb.options) {
    std::string help = option.help;
    if (option.repeated && !option.positional) help += " (may be repeated)";
    (option.positional ? positional : options).emplace_back(left_of(option), help);
  }
  out += section("Arguments", positional, style);
  if (&verb != &root) {
    out += section("Options", options, style);
    options.clear();
    for (const OptionInfo& option : root.options)
      options.emplace_back(left_of(option), option.help);
  }
  options.emplace_back("-h, --help", "this page");
  if (&verb == &root) options.emplace_back("    --version", "print the version");
  out += section("Options of every verb", options, style);
  if (!verb.examples.empty()) {
    out += "\n" + style(Tone::kBold, "Examples") + "\n";
    for (const std::string& example : verb.examples) {
      out += "  " + style(Tone::kDim, "$") + " " + example + "\n";
    }
  }
  if (&verb == &root) out += "\n`roost VERB --help` tells more about a verb.\n";
  return out;
}

}  // namespace roost
