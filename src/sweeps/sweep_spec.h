#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "domain/run_spec.h"
#include "sweeps/goal.h"
#include "sweeps/policy.h"
#include "sweeps/sampler.h"
#include "sweeps/search_space.h"

namespace roost {

inline constexpr std::int64_t kMostTrials = 100'000;

// What a sweep was asked to do, checked.
struct SweepSpec {
  RunSpec run;  // what every child runs, before its parameters
  SearchSpace space;
  SamplingSettings sampling;
  std::string metric;
  Goal goal = Goal::kMaximize;
  PolicySettings policy;
  std::int64_t max_total_runs = 0;
  std::optional<std::int64_t> max_concurrent_runs;  // none: all at once
  std::int64_t max_duration_minutes = 0;
  std::vector<std::string> resume_from;  // sweeps whose trials count as seen
  std::vector<std::string> resume_child_runs;  // children of others that are run once more, with what they left
};

// From untrusted JSON; every refusal says what to change. A sampling without a seed gets `seed`.
Result<SweepSpec> parse_sweep_spec(const Json& body, std::uint64_t seed);
// As it is stored and shown, the seed included.
Json sweep_spec_json(const Json& body, const SweepSpec& spec);

// The parameters of a hand-made trial: every active dimension has a value, and nothing else is there.
Status check_parameters(const SearchSpace& space, const Json& parameters);

// What the trial runs: the sweep's spec with the parameters behind its arguments and among its variables.
RunSpec child_spec(const SweepSpec& sweep, const Json& parameters);
// Gives it what another run left in ./outputs, as --resume-from FOLDER. `content` is the manifest of that.
void give_outputs(RunSpec& spec, const std::string& content);
// The number of the trial whose run has this id, "<sweep>_<number>".
std::optional<std::int64_t> trial_number(std::string_view run);
// One argument as a child gets it: integers without a fraction, text as it is.
std::string parameter_text(const Json& value);

}  // namespace roost
