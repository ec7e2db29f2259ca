#include "cli/help.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/style.h"
#include "cli/show/text_width.h"
#include "cli/suggest.h"

namespace roost {
namespace {

constexpr int kWidest = 100;
constexpr int kLeastWidth = 50;
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

std::string section(const std::string& title, const Rows& rows, const Style& style, int width) {
  if (rows.empty()) return "";
  int left = 0;
  for (const auto& row : rows) left = std::max(left, std::min(std::min(kWidestLeft, width / 3), text_width(row.first)));
  std::string out = "\n" + style(Tone::kBold, title) + "\n";
  for (const auto& [name, help] : rows) {
    out += "  " + style(Tone::kCyan, name);
    bool first = true;
    for (const std::string& line : wrap_text(help, width - left - 5)) {
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

std::string verbs_by_group(const VerbInfo& verb, const Style& style, int width) {
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
    out += section(title, rows, style, width);
  }
  return out;
}

// Its words below one another where they do not fit.
std::string wrapped_usage(const VerbInfo& verb, int width) {
  constexpr int kIndent = 7;  // of "Usage  "
  std::string text;
  for (const std::string& line : wrap_text(usage(verb), width - kIndent)) {
    text += (text.empty() ? "" : "\n" + std::string(kIndent, ' ')) + line;
  }
  return text;
}

// Lines that stand below one another only because the source is narrow are one; blank lines and lines that are indented stay.
std::string paragraphs(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool joins = text[i] == '\n' && i + 1 < text.size() && text[i + 1] != '\n' && text[i + 1] != ' ' && i > 0 && text[i - 1] != '\n';
    out += joins ? ' ' : text[i];
  }
  return out;
}

}  // namespace

std::string help_text(const VerbInfo& verb, const VerbInfo& root, bool colour, int columns) {
  const Style style(colour);
  const int width = columns == 0 ? kWidest : std::clamp(columns, kLeastWidth, kWidest);
  std::string out;
  for (const std::string& line : wrap_text(verb.help, width)) out += line + "\n";
  out += "\n" + style(Tone::kBold, "Usage") + "  " + wrapped_usage(verb, width) + "\n";
  if (!verb.details.empty()) {
    out += "\n";
    for (const std::string& line : wrap_text(paragraphs(verb.details), width)) out += line + "\n";
  }
  out += verbs_by_group(verb, style, width);
  Rows positional;
  Rows options;
  for (const OptionInfo& option : verb.options) {
    std::string help = option.help;
    if (option.repeated && !option.positional) help += " (may be repeated)";
    (option.positional ? positional : options).emplace_back(left_of(option), help);
  }
  out += section("Arguments", positional, style, width);
  if (&verb != &root) {
    out += section("Options", options, style, width);
    options.clear();
    for (const OptionInfo& option : root.options)
      options.emplace_back(left_of(option), option.help);
  }
  options.emplace_back("-h, --help", "this page");
  if (&verb == &root) options.emplace_back("    --version", "print the version");
  out += section("Options of every verb", options, style, width);
  if (!verb.examples.empty()) {
    out += "\n" + style(Tone::kBold, "Examples") + "\n";
    for (const std::string& example : verb.examples) {
      out += "  " + style(Tone::kDim, "$") + " " + example + "\n";
    }
  }
  if (&verb == &root) out += "\n`roost help VERB` tells more about a verb.\n";
  return out;
}

Result<const VerbInfo*> find_verb(const VerbInfo& root, const std::vector<std::string>& words) {
  const VerbInfo* verb = &root;
  for (const std::string& word : words) {
    const auto next = std::find_if(verb->verbs.begin(), verb->verbs.end(), [&](const auto& sub) { return sub->name == word; });
    if (next == verb->verbs.end()) {
      std::vector<std::string> known;
      for (const auto& sub : verb->verbs) {
        if (!sub->hidden) known.push_back(sub->name);
      }
      const std::string nearest = nearest_word(word, known);
      return fail(ErrorCode::kNotFound, fmt::format("there is no verb `{} {}`{}", verb->path, printable(word),
                                                    nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest)));
    }
    verb = next->get();
  }
  return verb;
}

}  // namespace roost
