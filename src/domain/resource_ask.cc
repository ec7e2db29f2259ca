#include "domain/resource_ask.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::int64_t kMostMemory = 64LL << 20;  // 64 TB in megabytes
constexpr std::int64_t kGigabyte = 1024;

std::string count(std::int64_t n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

}  // namespace

Result<ResourceAsk> parse_resource_ask(const Json& body) {
  JsonFields fields(body, "\"resources\"");
  ResourceAsk ask;
  if (fields.has("gpus")) ask.gpus = fields.integer("gpus", 0, 0, 1024);
  if (fields.has("cpus")) ask.cpus = fields.integer("cpus", 1, 1, 65'536);
  if (fields.has("memory_mb")) ask.memory_mb = fields.integer("memory_mb", 1, 16, kMostMemory);
  ROOST_CHECK(fields.done());
  return ask;
}

Json resource_ask_json(const ResourceAsk& ask) {
  if (ask.is_open()) return nullptr;
  Json out = Json::object();
  if (ask.gpus) out["gpus"] = *ask.gpus;
  if (ask.cpus > 0) out["cpus"] = ask.cpus;
  if (ask.memory_mb > 0) out["memory_mb"] = ask.memory_mb;
  return out;
}

ResourceAsk resource_ask_of_spec(const Json& spec) {
  const Json& stored = member(spec, "resources");
  if (!stored.is_object()) return {};
  return parse_resource_ask(stored).value_or(ResourceAsk());
}

Result<std::int64_t> parse_memory_mb(const std::string& text) {
  const std::string word = lower(trim(text));
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  const std::string unit(trim(std::string_view(end)));
  double megabytes = -1;
  if (unit.empty() || unit == "g" || unit == "gb" || unit == "gib") megabytes = number * kGigabyte;
  if (unit == "m" || unit == "mb" || unit == "mib") megabytes = number;
  if (unit == "t" || unit == "tb" || unit == "tib") megabytes = number * kGigabyte * kGigabyte;
  if (end == word.c_str() || !std::isfinite(number) || megabytes < 16 || megabytes > static_cast<double>(kMostMemory)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is no amount of memory; write it like 16g or 900m (at least 16m)", printable(text)));
  }
  return static_cast<std::int64_t>(std::llround(megabytes));
}

std::string gpus_text(std::int64_t n) { return count(n, "GPU"); }
std::string cpus_text(std::int64_t n) { return count(n, "CPU"); }

std::string memory_text(std::int64_t megabytes) {
  if (megabytes < kGigabyte) return fmt::format("{} MB of memory", megabytes);
  const double gigabytes = static_cast<double>(megabytes) / kGigabyte;
  return fmt::format("{:.{}f} GB of memory", gigabytes, gigabytes == std::floor(gigabytes) ? 0 : 1);
}

std::string amounts_text(const Amounts& amounts) {
  std::vector<std::string> parts;
  if (amounts.gpus > 0) parts.push_back(gpus_text(amounts.gpus));
  if (amounts.cpus > 0) parts.push_back(cpus_text(amounts.cpus));
  if (amounts.memory_mb > 0) parts.push_back(memory_text(amounts.memory_mb));
  if (parts.empty()) return "nothing";
  std::string text = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) text += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

RunNeed need_of(const ResourceAsk& ask, std::int64_t nodes, std::optional<std::int64_t> size_gpus,
                std::int64_t machine_gpus) {
  RunNeed need;
  need.each.cpus = ask.cpus;
  need.each.memory_mb = ask.memory_mb;
  if (ask.gpus) {
    need.each.gpus = *ask.gpus;
  } else if (!size_gpus) {
    need.spare_gpus = machine_gpus;
  } else if (*size_gpus * nodes <= machine_gpus) {
    need.each.gpus = *size_gpus;
  } else {
    need.spare_gpus = std::min(*size_gpus * nodes, machine_gpus);
  }
  return need;
}

}  // namespace roost
