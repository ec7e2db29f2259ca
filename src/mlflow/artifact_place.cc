#include "mlflow/artifact_place.h"

#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"

namespace roost::mlflow {
namespace {

constexpr std::string_view kFiles = "artifacts";
constexpr std::string_view kModels = "models";
constexpr std::string_view kRegistry = "registry";

// False if it is not encoded: a lone percent sign stands for itself.
bool decode(std::string_view text, std::string& out) {
  const auto hex = [](char c) { return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1; };
  out.clear();
  bool found = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool encoded = text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0;
    out += encoded ? static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2])) : text[i];
    if (encoded) i += 2;
    found = found || encoded;
  }
  return found;
}

std::string joined(const std::vector<std::string>& parts, std::size_t from) {
  std::string out;
  for (std::size_t i = from; i < parts.size(); ++i) out += (i == from ? "" : "/") + parts[i];
  return out;
}

}  // namespace

Status check_artifact_name(std::string_view path) {
  if (path.empty()) return {};
  std::string at(path);
  std::string next;
  for (int times = 0; times < 8; ++times) {
    if (!check_artifact_path(at)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("Invalid path: \"{}\" must be relative, without \"..\", empty parts and control characters",
                              printable(path)));
    }
    if (!decode(at, next)) break;
    at = next;
  }
  return {};
}

Result<ArtifactPlace> parse_artifact_place(std::string_view path) {
  ROOST_CHECK(check_artifact_name(path));
  ArtifactPlace place;
  const std::vector<std::string> parts = split(path, '/');
  if (parts.size() >= 3 && parts[0] == kRegistry) {
    const std::string& number = parts[2];
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), place.version);
    if (error != std::errc() || end != number.data() + number.size()) return ArtifactPlace{};
    place.owner = ArtifactPlace::Owner::kVersion;
    // Names of models are encoded in the URI, which is encoded once more on its way.
    if (!decode(parts[1], place.name)) place.name = parts[1];
    place.path = joined(parts, 3);
    return place;
  }
  // The place of an experiment's files may have been chosen by its maker: the first folder of a run or model counts.
  for (std::size_t i = 2; i < parts.size(); ++i) {
    if (parts[i] != kFiles) continue;
    place.owner = i >= 3 && parts[i - 2] == kModels ? ArtifactPlace::Owner::kModel : ArtifactPlace::Owner::kRun;
    place.name = parts[i - 1];
    place.path = joined(parts, i + 1);
    break;
  }
  return place;
}

}  // namespace roost::mlflow
