#include "cli/show/environment_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/environment_form.h"
#include "cli/show/fact_list.h"
#include "cli/show/run_text.h"
#include "cli/show/text_width.h"
#include "cli/show/times.h"

namespace roost {
namespace {

constexpr std::size_t kShortDigest = 12;

std::string ago(const Json& object, const char* name, Micros now) {
  const auto time = time_field(object, name);
  return time ? time_ago(*time, now) : "";
}

std::string size_of(const Json& build) {
  const Json& size = child(build, "size");
  return size.is_number_unsigned() ? human_bytes(size.get<std::uint64_t>()) : "";
}

std::string count_text(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// The packages in a word or two: "torch==1.6.0, numpy and 3 more".
std::string packages_text(const EnvironmentForm& form) {
  if (!form.interpreter.empty()) return form.interpreter + " of the node";
  std::vector<std::string> all = form.conda;
  all.insert(all.end(), form.pip.begin(), form.pip.end());
  std::erase_if(all, [](const std::string& line) {
    return line.starts_with("azureml") || conda_package_name(line) == "pip";
  });
  constexpr std::size_t kShown = 3;
  const std::size_t more = all.size() > kShown + 1 ? all.size() - kShown : 0;
  all.resize(all.size() - more);
  const std::string shown = fmt::format("{}", fmt::join(all, ", "));
  return more == 0 ? shown : fmt::format("{} and {} more", shown, more);
}

std::string origin_text(const Json& environment, Micros now) {
  const std::string alias_of = text_field(environment, "alias_of");
  if (!alias_of.empty()) return "means " + alias_of;
  return child(environment, "curated") == true ? "curated" : ago(environment, "created_at", now);
}

// The name in the first row, one value each; nothing without values.
void add_lines(FactList& facts, const std::string& name, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) facts.add(i == 0 ? name : " ", lines[i]);
}

std::vector<std::string> lines_of(const Json& items) {
  std::vector<std::string> lines;
  for (const Json& item : items) lines.push_back(value_text(item));
  return lines;
}

void add_definition(FactList& facts, const EnvironmentForm& form) {
  facts.add("python", form.python);
  facts.add("interpreter", form.interpreter.empty() ? "" : form.interpreter + " of the node");
  add_lines(facts, "channels", form.channels);
  add_lines(facts, "conda", form.conda);
  add_lines(facts, "pip", form.pip);
  facts.add("image", form.image);
  if (!form.dockerfile.empty()) {
    add_lines(facts, "dockerfile", split(trim(form.dockerfile), '\n'));
  }
  std::vector<std::string> variables;
  for (const auto& [name, value] : form.variables) variables.push_back(name + "=" + value);
  add_lines(facts, "variables", variables);
  facts.add("pins", form.pins);
}

// Under which pins it was built, or that it was by the lock of an earlier build.
std::string pins_of(const Json& build, const std::vector<EnvironmentPlan>& plans) {
  for (const EnvironmentPlan& plan : plans) {
    if (text_field(build, "digest") == plan.digest()) return std::string(pins_name(plan.pins));
  }
  return "by a lock, for a rerun";
}

std::string built_part(const Json& build, const std::vector<EnvironmentPlan>& plans, Micros now,
                       const Style& style) {
  std::string out = "\n" + style(Tone::kBold, "Built") + "  " +
                    style(Tone::kGreen, one_line(build_text(build))) + "\n";
  FactList facts;
  facts.add("digest", text_field(build, "digest"));
  facts.add("pins", pins_of(build, plans));
  facts.add("because", text_field(build, "reason"));
  facts.add("created", ago(build, "created_at", now));
  facts.add("last used", ago(build, "used_at", now));
  facts.add("python", text_field(build, "python"));
  add_lines(facts, "changes", lines_of(child(build, "changes")));
  add_lines(facts, "lock", lines_of(child(build, "lock")));
  return out + facts.text(style, 2);
}

}  // namespace

std::string build_text(const Json& build) {
  return fmt::format("{}, {}, {}", text_field(build, "builder"),
                     count_text(child(build, "lock").size(), "package"), size_of(build));
}

TextTable environment_table(const Json& environments, const Json& builds, Micros now) {
  TextTable table({{"ENVIRONMENT"}, {"PYTHON"}, {"BUILT"}, {"CREATED"}, {"PACKAGES", false, true}});
  for (const Json& environment : environments) {
    const Json& definition = child(environment, "definition");
    const EnvironmentForm form = environment_form(definition);
    table.add({{environment_id(environment), Tone::kBold},
               form.python,
               {builds_of(definition, builds).empty() ? "" : "yes", Tone::kGreen},
               {origin_text(environment, now), Tone::kDim},
               packages_text(form)});
  }
  return table;
}

TextTable build_table(const Json& builds, const Json& environments, Micros now) {
  TextTable table({{"DIGEST"},
                   {"BUILDER"},
                   {"SIZE", true},
                   {"PACKAGES", true},
                   {"LAST USED"},
                   {"CREATED"},
                   {"ENVIRONMENT", false, true}});
  for (const Json& build : builds) {
    std::string names;
    for (const Json& environment : environments) {
      if (builds_of(child(environment, "definition"), Json::array({build})).empty()) continue;
      names += (names.empty() ? "" : ", ") + environment_id(environment);
    }
    table.add({{text_field(build, "digest").substr(0, kShortDigest), Tone::kBold},
               text_field(build, "builder"),
               size_of(build),
               std::to_string(child(build, "lock").size()),
               {ago(build, "used_at", now), Tone::kDim},
               {ago(build, "created_at", now), Tone::kDim},
               names});
  }
  return table;
}

std::string environment_page(const Json& environment, const Json& builds, Micros now,
                             const Style& style) {
  const Json& definition = child(environment, "definition");
  const auto plans = possible_plans(definition);
  FactList facts;
  facts.add("created", origin_text(environment, now));
  add_definition(facts, environment_form(definition));
  std::string problem;
  if (!plans) {
    problem = plans.error().message;
  } else if (plans->front().needs_build()) {
    facts.add("digest", fmt::format("{}  ({} pins)", plans->front().digest(),
                                    pins_name(plans->front().pins)));
    if (builds.empty()) facts.add("built", "no; the first run waits for it, or `roost env build`");
  } else {
    facts.add("built", "needs none: there is nothing to install");
  }
  std::string out =
      style(Tone::kBold, environment_id(environment)) + "\n" + facts.text(style, 2);
  if (plans) {
    for (const Json& build : builds) out += built_part(build, *plans, now, style);
  }
  if (!problem.empty()) out += style(Tone::kRed, "cannot be built: " + one_line(problem)) + "\n";
  if (const std::string notice = text_field(environment, "notice"); !notice.empty()) {
    out += style(Tone::kYellow, "note: " + one_line(notice)) + "\n";
  }
  return out;
}

}  // namespace roost
