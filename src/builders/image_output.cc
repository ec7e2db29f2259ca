#include "builders/image_output.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::string_view kStep = "STEP ";
constexpr std::string_view kError = "Error: ";

// What buildah adds after a program of a step has failed.
bool is_noise(std::string_view line) {
  return line.starts_with("subprocess exited") || line.starts_with("-->") || line.starts_with("time=\"") ||
         line.starts_with("level=") || line.starts_with("ERRO[") || line.starts_with("[end of output]") ||
         line.starts_with("[notice]");
}

}  // namespace

std::string ImageOutput::step_line(std::string_view line) {
  const auto colon = line.find(": ");
  if (!line.starts_with(kStep) || colon == std::string_view::npos) return "";
  return fmt::format("Step {}", line.substr(kStep.size()));
}

void ImageOutput::add(std::string_view line) {
  line = trim(line);
  if (line.empty() || is_noise(line)) return;
  if (const std::string step = step_line(line); !step.empty()) {
    const auto colon = step.find(": ");
    number_ = step.substr(5, colon - 5);
    command_ = step.substr(colon + 2);
    last_.clear();
    return;
  }
  if (line.starts_with(kError)) {
    error_ = line.substr(kError.size());
    return;
  }
  last_ = line;
  pip_.add(line);
  if (line.starts_with("ERROR: ")) pip_failed_ = true;
}

std::string ImageOutput::problem() const {
  if (number_.empty()) return "the image's build could not begin: " + (error_.empty() ? last_ : error_);
  const bool by_pip = pip_failed_ && command_.find("pip install") != std::string::npos;
  std::string why = by_pip ? pip_.problem() : last_;
  if (by_pip && command_.find("/usr/local/share/roost/") != std::string::npos) return why;  // Roost's own step
  // A step that printed nothing, and FROM, which is buildah's own work.
  if (why.empty() || command_.starts_with("FROM ")) why = error_.empty() ? last_ : error_;
  return fmt::format("step {} of the image failed, {}: {}", number_, command_, why);
}

}  // namespace roost
