#include <charconv>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "score/script_servant.h"

namespace roost {
namespace {

constexpr int kMostWorkers = 256;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? std::string(trim(value)) : "";
}

}  // namespace

Status take_variables(ScriptServantOptions& options) {
  if (const std::string text = variable("WORKER_COUNT"); !text.empty()) {
    int count = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), count);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size() || count < 1 || count > kMostWorkers) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("WORKER_COUNT is '{}'; it must be a number from 1 to {}", printable(text), kMostWorkers));
    }
    options.workers = count;
  }
  if (const std::string text = variable("AML_CORS_ORIGINS"); !text.empty()) options.cors_origins = text;
  if (const std::string text = variable("SERVICE_NAME"); !text.empty()) options.service_name = text;
  const std::string level = lower(variable("AZUREML_LOG_LEVEL"));
  if (level == "warning" || level == "warn" || level == "error" || level == "critical") options.log_access = false;
  return {};
}

}  // namespace roost
