#include "cli/work/modernize.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml.h"
#include "cli/show/environment_form.h"
#include "cli/show/run_text.h"

namespace roost {
namespace {

constexpr std::string_view kArrow = " -> ";

// Takes `suffix` off the end of `text` if it is there.
bool strip(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

Json* find_line(Json& items, std::string_view line) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const Json& item) {
    return item.is_string() && trim(item.get_ref<const std::string&>()) == line;
  });
  return it == items.end() ? nullptr : &*it;
}

Json* find_python(Json& dependencies) {
  const auto it = std::find_if(dependencies.begin(), dependencies.end(), [](const Json& item) {
    return item.is_string() && conda_package_name(item.get_ref<const std::string&>()) == "python";
  });
  return it == dependencies.end() ? nullptr : &*it;
}

// The list under "pip", made where there is none.
Json& pip_list(Json& dependencies) {
  for (Json& item : dependencies) {
    if (child(item, "pip").is_array()) return item["pip"];
  }
  const bool has_pip = std::any_of(dependencies.begin(), dependencies.end(), [](const Json& item) {
    return item.is_string() && conda_package_name(item.get_ref<const std::string&>()) == "pip";
  });
  if (!has_pip) dependencies.push_back("pip");
  dependencies.push_back({{"pip", Json::array()}});
  return dependencies.back()["pip"];
}

bool move_to_pip(Json& dependencies, std::string_view package, std::string_view requirement) {
  Json* line = find_line(dependencies, package);
  if (!line) return false;
  dependencies.erase(static_cast<std::size_t>(line - &dependencies.front()));
  pip_list(dependencies).push_back(requirement);
  return true;
}

bool replace_pip(Json& dependencies, std::string_view from, const std::string& to) {
  for (Json& item : dependencies) {
    if (!child(item, "pip").is_array()) continue;
    if (Json* line = find_line(item["pip"], from)) {
      *line = to;
      return true;
    }
  }
  return false;
}

bool apply_change(Json& dependencies, std::string_view change) {
  const auto arrow = change.find(kArrow);
  if (arrow == std::string_view::npos) return false;
  std::string_view from = change.substr(0, arrow);
  std::string_view to = change.substr(arrow + kArrow.size());
  if (strip(from, " by conda") && strip(to, " by pip")) return move_to_pip(dependencies, from, to);
  const bool is_version = to.find_first_not_of("0123456789.") == std::string_view::npos;
  if (from.starts_with("python=") && is_version) {
    Json* python = find_python(dependencies);
    if (python) *python = fmt::format("python={}", to);
    return python != nullptr;
  }
  std::string requirement(to);
  if (strip(to, " of the node")) {
    requirement = to;
    if (const auto blank = requirement.find(' '); blank != std::string::npos) {
      requirement.replace(blank, 1, "==");
    }
  }
  return replace_pip(dependencies, from, requirement);
}

// Plain where that reads back as the same text, else quoted; JSON's quoting is YAML's as well.
std::string scalar(const Json& value) {
  if (!value.is_string()) return to_text(value);
  const auto& text = value.get_ref<const std::string&>();
  const std::string folded = lower(text);
  const bool word_of_yaml = folded == "yes" || folded == "no" || folded == "on" || folded == "off";
  const auto read = parse_yaml("- " + text + "\n", "a line");
  if (!word_of_yaml && read && *read == Json::array({text})) return text;
  return to_text(value);
}

std::string list_lines(const Json& items, const std::string& indent) {
  std::string out;
  for (const Json& item : items) {
    if (const Json& pip = child(item, "pip"); pip.is_array() && !pip.empty()) {
      out += indent + "- pip:\n" + list_lines(pip, indent + "    ");
    } else {
      out += indent + "- " + scalar(item) + "\n";
    }
  }
  return out;
}

}  // namespace

Result<CondaFile> read_conda_file(std::string_view text, const std::string& file_name) {
  ROOST_TRY(const Json document, parse_yaml(text, file_name));
  if (!child(document, "dependencies").is_array()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is no conda environment: it has no list of \"dependencies\"",
                            file_name));
  }
  CondaFile file;
  for (const auto& [key, value] : document.items()) {
    if (key == "name") {
      file.name = value;
    } else if (key == "channels") {
      if (value.is_array()) file.channels = value;
    } else if (key == "dependencies") {
      file.dependencies = value;
    } else if (key != "prefix") {
      file.others[key] = value;
    }
  }
  return file;
}

Json conda_definition(const CondaFile& file) {
  return {{"python",
           {{"userManagedDependencies", false},
            {"condaDependencies",
             {{"channels", file.channels}, {"dependencies", file.dependencies}}}}}};
}

std::vector<std::string> apply_changes(CondaFile& file, const std::vector<std::string>& changes) {
  std::vector<std::string> left;
  for (const std::string& change : changes) {
    if (!apply_change(file.dependencies, change)) left.push_back(change);
  }
  return left;
}

std::string conda_yaml(const CondaFile& file) {
  std::string out;
  if (!file.name.is_null()) out += "name: " + scalar(file.name) + "\n";
  if (!file.channels.empty()) out += "channels:\n" + list_lines(file.channels, "  ");
  out += "dependencies:\n" + list_lines(file.dependencies, "  ");
  for (const auto& [key, value] : file.others.items()) {
    out += fmt::format("{}: {}\n", scalar(key), scalar(value));
  }
  return out;
}

}  // namespace roost
