#include "sweeps/sampler.h"

#include <fmt/format.h>

#include "base/text.h"
#include "sweeps/dimension_values.h"
#include "sweeps/suggester.h"

namespace roost {
namespace {

Status check_grid(const SearchSpace& space) {
  for (const Dimension& dimension : space.dimensions) {
    if (value_count(dimension)) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a grid needs parameters whose values can be counted, and \"{}\" is {}; make it a choice, or use "
                            "random sampling",
                            printable(dimension.name), expression_name(dimension.expression)));
  }
  if (!space.size()) {
    return fail(ErrorCode::kInvalidArgument, "the grid has more than 2^63 configurations; use random sampling");
  }
  return {};
}

}  // namespace

Result<SamplingSettings> parse_sampling(const Json& sampling, const SearchSpace& space) {
  SamplingSettings settings;
  if (sampling.is_null()) return settings;
  JsonFields fields(sampling, "\"sampling\"");
  settings.type = fields.required_string("type");
  settings.seed = static_cast<std::uint64_t>(fields.integer("seed", 0, 0, std::numeric_limits<std::int64_t>::max()));
  ROOST_CHECK(fields.done());
  if (settings.type == "bayesian") settings.type = space.is_conditional() ? "tpe" : "gp";
  if (settings.type == "grid") ROOST_CHECK(check_grid(space));
  if (settings.type == "gp" && space.is_conditional()) {
    return fail(ErrorCode::kInvalidArgument,
                "gp sampling cannot do parameters with \"when\"; use tpe, or bayesian, which chooses by the space");
  }
  for (const char* known : {"random", "sobol", "grid", "tpe", "gp"}) {
    if (settings.type == known) return settings;
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("no sampling is called \"{}\"; there are random, sobol, grid, tpe, gp and bayesian",
                          printable(settings.type)));
}

std::optional<Json> suggest(const SamplingSettings& settings, const SearchSpace& space, Goal goal,
                            const std::vector<Trial>& history, std::int64_t number) {
  Suggester suggester(settings, space, goal);
  for (const Trial& trial : history) suggester.put(trial);
  return suggester.suggest(number);
}

}  // namespace roost
