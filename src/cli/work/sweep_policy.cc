#include "cli/work/sweep_policy.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"

namespace roost {
namespace {

constexpr double kMost = 1e15;

struct Setting {
  const char* name;
  bool whole;
  double least;
  double most;
};
constexpr std::array<Setting, 11> kSettings = {{{"evaluation_interval", true, 1, kMost},
                                                {"delay_evaluation", true, 0, kMost},
                                                {"slack_factor", false, 0, kMost},
                                                {"slack_amount", false, 0, kMost},
                                                {"truncation_percentage", true, 1, 99},
                                                {"min_intervals", true, 1, kMost},
                                                {"max_intervals", true, 1, kMost},
                                                {"eta", true, 2, kMost},
                                                {"interval", true, 1, kMost},
                                                {"quantile", false, 0.01, 0.5},
                                                {"resample_probability", false, 0, 1}}};

struct Kind {
  const char* type;
  const char* azure;  // its class, in small letters and without "policy"
  std::vector<std::string> settings;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"bandit", "bandit", {"evaluation_interval", "delay_evaluation", "slack_factor", "slack_amount"}},
      {"median", "medianstopping", {"evaluation_interval", "delay_evaluation"}},
      {"truncation",
       "truncationselection",
       {"truncation_percentage", "evaluation_interval", "delay_evaluation", "exclude_finished_jobs"}},
      {"asha", "asha", {"min_intervals", "max_intervals", "eta", "pause"}},
      {"hyperband", "hyperband", {"min_intervals", "max_intervals", "eta", "pause"}},
      {"pbt", "populationbasedtraining", {"interval", "quantile", "resample_probability"}},
      {"none", "notermination", {}}};
  return all;
}

// "BanditPolicy", "bandit_policy" and "bandit" are one.
const Kind* find_kind(const std::string& written) {
  std::string word = lower(written);
  std::erase_if(word, [](char c) { return c == '_' || c == '-' || c == ' '; });
  if (word.ends_with("policy")) word.resize(word.size() - 6);
  for (const Kind& kind : kinds()) {
    if (word == kind.type || word == kind.azure) return &kind;
  }
  return nullptr;
}

Status check_setting(const YamlDocument& file, const std::string& path, const std::string& name, const Json& value) {
  const auto setting = std::find_if(kSettings.begin(), kSettings.end(), [&](const Setting& s) { return name == s.name; });
  if (setting == kSettings.end()) {
    if (value.is_boolean()) return {};
    return file.wrong(path, "must be true or false");
  }
  const bool fits = setting->whole ? value.is_number_integer() : value.is_number();
  if (fits && value.get<double>() >= setting->least && value.get<double>() <= setting->most) return {};
  const std::string range = setting->most == kMost ? fmt::format("of {} or more", setting->least)
                                                   : fmt::format("from {} to {}", setting->least, setting->most);
  return file.wrong(path, fmt::format("must be a {}number {}", setting->whole ? "whole " : "", range));
}

Status check_together(const YamlDocument& file, const std::string& path, const std::string& type, const Json& policy) {
  const auto has = [&](const char* name) { return !child(policy, name).is_null(); };
  if (type == "bandit" && has("slack_factor") == has("slack_amount")) {
    return file.wrong(path, "a bandit needs one of slack_factor (a share of the best, like 0.1) and slack_amount (a "
                            "distance from the best)");
  }
  if (type == "truncation" && !has("truncation_percentage")) {
    return file.wrong(path, "truncation needs truncation_percentage, how many of a hundred are stopped, like 20");
  }
  if (has("min_intervals") && has("max_intervals") &&
      policy["min_intervals"].get<std::int64_t>() > policy["max_intervals"].get<std::int64_t>()) {
    return file.wrong(path + "/min_intervals", "is above max_intervals");
  }
  return {};
}

}  // namespace

Result<Json> read_sweep_policy(const YamlDocument& file, const std::string& path, const Json& policy) {
  if (policy.is_null()) return Json();
  if (!policy.is_string() && !policy.is_object()) {
    return file.wrong(path, "write it like {type: bandit, slack_factor: 0.1}");
  }
  const Json body = policy.is_string() ? Json{{"type", policy}} : policy;
  const std::string type = text_field(body, "type");
  const Kind* kind = find_kind(type);
  if (!kind) {
    std::vector<std::string> types;
    for (const Kind& one : kinds()) types.emplace_back(one.type);
    return file.wrong(path + "/type", fmt::format("\"{}\" is none of {}", printable(type), fmt::join(types, ", ")));
  }
  std::vector<std::string> known = kind->settings;
  known.emplace_back("type");
  ROOST_CHECK(file.expect_only(path, body, known));
  if (std::string_view(kind->type) == "none") return Json();
  Json out = {{"type", kind->type}};
  for (const auto& [name, value] : body.items()) {
    if (name == "type" || value.is_null()) continue;
    ROOST_CHECK(check_setting(file, path + "/" + name, name, value));
    out[name] = value;
  }
  ROOST_CHECK(check_together(file, path, kind->type, out));
  return out;
}

}  // namespace roost
