#include "mlflow/artifact_uri.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"

namespace roost::mlflow {
namespace {

// What lies on a machine, or lets a name lead anywhere.
constexpr std::string_view kRefused[] = {"", "file", "data", "javascript"};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool leads_out(std::string_view text) {
  std::string once(text);
  // Also what was encoded twice, or three times.
  for (int i = 0; i < 4; ++i) {
    std::replace(once.begin(), once.end(), '\\', '/');
    const auto parts = split(once, '/');
    if (std::find(parts.begin(), parts.end(), "..") != parts.end()) return true;
    if (std::any_of(once.begin(), once.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
      return true;
    std::string next = decoded(once);
    if (next == once) return false;
    once = std::move(next);
  }
  return true;
}

std::string scheme_of(std::string_view source) {
  const auto colon = source.find(':');
  if (colon == std::string_view::npos) return "";
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  };
  const std::string scheme = lower(source.substr(0, colon));
  return std::all_of(scheme.begin(), scheme.end(), plain) && scheme.size() > 1 ? scheme : "";
}

// "a/b/c" -> "a", leaving "b/c".
std::string take_part(std::string_view& path) {
  const auto slash = path.find('/');
  std::string part(path.substr(0, slash));
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return part;
}

std::string plain_path(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  while (path.starts_with('/')) path.remove_prefix(1);
  return std::string(path);
}

std::int64_t version_in(std::string_view text) {
  std::int64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  return error == std::errc() && end == text.data() + text.size() ? version : 0;
}

}  // namespace

Result<SourceUri> parse_source_uri(std::string_view source) {
  const auto wrong = [&](std::string_view why) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("Invalid model version source: '{}': {}. It must be below the artifacts of the run it names, like "
                    "runs:/RUN/model, or models:/m-ID, or in a cloud store",
                    printable(source), why));
  };
  if (source.size() > 4096 || !is_utf8(source)) return wrong("it is too long, or no UTF-8");
  if (leads_out(source)) return wrong("it leads out of its folder");
  const std::string scheme = scheme_of(source);
  if (std::find(std::begin(kRefused), std::end(kRefused), scheme) != std::end(kRefused))
    return wrong("paths of a machine are not taken");
  SourceUri found;
  if (scheme != "runs" && scheme != "models" && scheme != "mlflow-artifacts") return found;
  std::string_view path = source.substr(scheme.size() + 1);
  if (path.starts_with("//")) return wrong("it names a host");
  if (!path.starts_with('/')) return wrong("a / is missing after the scheme");
  path.remove_prefix(1);
  const std::string first = decoded(take_part(path));
  if (scheme == "runs") {
    found = {SourceUri::kRunFiles, first, 0, plain_path(path)};
    if (first.empty() || found.path.empty()) return wrong("a run and a path below its artifacts are needed");
    return found;
  }
  if (scheme == "models") {
    if (path.empty() && first.starts_with("m-")) return SourceUri{SourceUri::kLoggedModel, first, 0, ""};
    found = {SourceUri::kVersion, first, version_in(path), ""};
    if (first.empty() || found.version < 1)
      return wrong("a logged model, or a name and the number of a version are needed");
    return found;
  }
  const std::string second = decoded(take_part(path));
  if (first == "registry") {
    found = {SourceUri::kVersion, second, version_in(take_part(path)), plain_path(path)};
    return second.empty() || found.version < 1 ? Result<SourceUri>(wrong("it names no version")) : found;
  }
  if (second == "models") {
    const std::string model = take_part(path);
    if (!model.starts_with("m-") || take_part(path) != "artifacts") return wrong("it names no logged model");
    return SourceUri{SourceUri::kLoggedModel, model, 0, plain_path(path)};
  }
  if (second.empty() || take_part(path) != "artifacts") return wrong("it is no place of a run's artifacts");
  return SourceUri{SourceUri::kRunFiles, second, 0, plain_path(path)};
}

}  // namespace roost::mlflow
