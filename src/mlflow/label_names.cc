#include "mlflow/label_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace roost::mlflow {
namespace {

bool is_allowed(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         std::string_view("_-./: ").find(c) != std::string_view::npos;
}

// As a path: nothing that normalising would take away, and nothing that leads out.
bool is_plain_path(std::string_view name) {
  const auto parts = split(name, '/');
  return std::none_of(parts.begin(), parts.end(),
                      [](const std::string& part) { return part.empty() || part == "." || part == ".."; });
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

tl::unexpected<Error> wrong(std::string message) { return fail(ErrorCode::kInvalidArgument, std::move(message)); }

}  // namespace

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string cut(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) != 0x80 && seen++ == limit) {
      text.resize(i);
      break;
    }
  }
  return text;
}

Status check_label_name(std::string_view name, std::string_view what) {
  if (name.empty()) return wrong(fmt::format("Missing value for required parameter '{}': a name is not empty", what));
  if (characters(name) > kNameLimit) {
    return wrong(fmt::format("the {} name '{}' is longer than {} characters", what, printable(name), kNameLimit));
  }
  if (!std::all_of(name.begin(), name.end(), is_allowed)) {
    return wrong(
        fmt::format("Invalid {} name '{}': names may have letters, digits, underscores, dashes, periods, blanks, "
                    "colons and slashes",
                    what, printable(name)));
  }
  if (!is_plain_path(name)) {
    return wrong(fmt::format("Invalid {} name '{}': names must be paths without empty parts, '.' and '..'", what,
                             printable(name)));
  }
  return {};
}

Status check_experiment_name(std::string_view name) {
  if (name.empty()) return wrong("Invalid experiment name: '': it must not be empty");
  if (characters(name) > kExperimentNameLimit) {
    return wrong(
        fmt::format("the experiment name '{}' is longer than {} characters", printable(name), kExperimentNameLimit));
  }
  if (has_control(name)) return wrong(fmt::format("the experiment name '{}' has control characters", printable(name)));
  return {};
}

Status check_model_name(std::string_view name) {
  if (name.empty()) return wrong("Registered model name cannot be empty.");
  if (name.find_first_of("/:") != std::string_view::npos || has_control(name)) {
    return wrong(fmt::format(
        "Invalid registered model name: '{}': it may have no '/', no ':' and no control characters", printable(name)));
  }
  if (characters(name) > 256)
    return wrong(fmt::format("the model name '{}' is longer than 256 characters", printable(name)));
  return {};
}

}  // namespace roost::mlflow
