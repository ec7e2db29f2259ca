// The "policy" of a sweep: whatever the body is, it is refused with a reason or becomes settings by which trials can be judged.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "sweeps/pbt.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto body = roost::parse_json(text, "the request body");
  if (!body) return 0;
  const auto policy = roost::parse_policy(*body);
  if (!policy) return policy.error().message.empty() ? __builtin_trap(), 0 : 0;
  const std::vector<roost::Trial> trials = {{-1, {}, roost::TrialState::kCompleted, {0.5, std::nan(""), 0.7}},
                                            {0, {}, roost::TrialState::kPaused, {0.9}},
                                            {1, {}, roost::TrialState::kRunning, {0.1, 0.2, 0.3}}};
  for (std::int64_t n = 1; n <= 3; ++n) {
    const auto verdict = roost::judge(*policy, roost::Goal::kMaximize, trials, 2, n);
    if ((verdict.kind == roost::Verdict::kGoOn) != verdict.reason.empty()) __builtin_trap();
    const auto next = roost::next_check(*policy, n, 1);
    if (next && *next <= n) __builtin_trap();
    (void)roost::hand_over(*policy, {}, roost::Goal::kMinimize, trials, 2, n, 1);
  }
  (void)roost::next_to_resume(*policy, roost::Goal::kMaximize, trials, false);
  if (roost::pauses(*policy)) (void)roost::judge_rest(*policy, roost::Goal::kMaximize, trials, 1);
  if (policy->type == roost::PolicyType::kPbt && roost::least_population(*policy) < 2) __builtin_trap();
  return 0;
}
