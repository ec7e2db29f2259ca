#include "domain/slurm_options.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::string_view kAllowed =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:,=&|*[]()+@/";

// The values reach a command line, through ssh even a shell, so nothing unusual is let through.
Status check_value(const char* name, std::string_view value) {
  if (value.size() <= 255 && !value.starts_with('-') && value.find_first_not_of(kAllowed) == std::string_view::npos) {
    return {};
  }
  return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is \"{}\"; Slurm has no such name", name, printable(value)));
}

}  // namespace

Result<SlurmOptions> parse_slurm_options(const Json& body, std::string_view what) {
  JsonFields fields(body, what);
  SlurmOptions options;
  const std::pair<const char*, std::string*> texts[] = {
      {"partition", &options.partition},   {"account", &options.account},
      {"qos", &options.qos},               {"gres", &options.gres},
      {"constraint", &options.constraint}, {"memory", &options.memory},
      {"reservation", &options.reservation}};
  for (const auto& [name, value] : texts) *value = fields.string(name);
  options.cpus = fields.integer("cpus", 0, 0, 4096);
  ROOST_CHECK(fields.done());
  for (const auto& [name, value] : texts) ROOST_CHECK(check_value(name, *value));
  return options;
}

Json slurm_options_json(const SlurmOptions& options) {
  return {{"partition", options.partition},   {"account", options.account}, {"qos", options.qos},
          {"gres", options.gres},             {"constraint", options.constraint},
          {"memory", options.memory},         {"reservation", options.reservation},
          {"cpus", options.cpus}};
}

}  // namespace roost
