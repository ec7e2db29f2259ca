#include "builders/pip_output.h"

#include <fmt/format.h>

#include "base/text.h"
#include "builders/explain.h"

namespace roost {
namespace {

constexpr std::string_view kNoVersion = "ERROR: Could not find a version that satisfies the requirement ";
constexpr std::string_view kFrom = "(from versions: ";

}  // namespace

void PipOutput::add(std::string_view line) {
  line = trim(line);
  if (line.starts_with(kNoVersion) && !no_version_) {
    NoVersion found;
    std::string_view rest = line.substr(kNoVersion.size());
    const auto from = rest.rfind(kFrom);
    const std::string_view requirement = rest.substr(0, from);
    found.requirement = std::string(trim(requirement.substr(0, requirement.find(" (from"))));
    if (from != std::string_view::npos) {
      std::string_view list = rest.substr(from + kFrom.size());
      if (list.ends_with(')')) list.remove_suffix(1);
      for (const auto& version : split(std::string(list), ',')) {
        const std::string_view text = trim(version);
        if (!text.empty() && text != "none") found.versions.emplace_back(text);
      }
    }
    no_version_ = std::move(found);
  }
  if (line.starts_with("ERROR: Cannot install ")) conflict_ = line.substr(7);
  if (!conflict_.empty() && (line.find(" depends on ") != std::string_view::npos ||
                             line.starts_with("The user requested ")) && conflict_details_.size() < 6) {
    conflict_details_.emplace_back(line);
  }
  constexpr std::string_view kCollecting = "Collecting ";
  constexpr std::string_view kBuilding = "Building wheel for ";
  if (line.starts_with(kCollecting)) {
    collecting_ = line.substr(kCollecting.size(), line.find(" (from") - kCollecting.size());
  } else if (line.starts_with(kBuilding)) {
    collecting_ = line.substr(kBuilding.size(), line.find(' ', kBuilding.size()) - kBuilding.size());
  }
  if (line == "error: subprocess-exited-with-error" && failed_source_.empty()) {
    failed_source_ = trim(collecting_);
    in_source_output_ = true;
  } else if (line == "[end of output]") {
    in_source_output_ = false;
  } else if (in_source_output_ && line.find("rror: ") != std::string_view::npos) {
    source_error_ = line;  // the last one is what the traceback ends with
  }
  if (line.find("Failed to establish a new connection") != std::string_view::npos ||
      line.find("Temporary failure in name resolution") != std::string_view::npos ||
      line.find("Max retries exceeded") != std::string_view::npos) {
    could_not_connect_ = true;
  }
  if (line.find(" is a yanked version") != std::string_view::npos) yanked_ = true;
  if (line.starts_with("ERROR: ")) last_error_ = line.substr(7);
}

std::string PipOutput::problem() const {
  if (!conflict_.empty()) {
    std::string text = conflict_;
    for (const auto& detail : conflict_details_) text += "; " + detail;
    return text;
  }
  if (no_version_) {
    const auto& [requirement, versions] = *no_version_;
    if (!versions.empty()) {
      return fmt::format("{} cannot be had: there are {}", requirement, shown_versions(versions));
    }
    return fmt::format("{} cannot be had: {}", requirement,
                       could_not_connect_ ? "the package index does not answer from this machine"
                                          : "there is no such package");
  }
  if (!failed_source_.empty()) {
    return fmt::format("{} has no ready-made wheel for this Python, and building it from its source failed{}{}",
                       failed_source_, source_error_.empty() ? "" : ": ", source_error_);
  }
  return last_error_.empty() ? "pip failed without saying why" : last_error_;
}

}  // namespace roost
