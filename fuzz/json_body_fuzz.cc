// Bodies of requests: whatever bytes come, they are refused with a reason or become a checked value
// that survives a round trip.
#include <cstdint>
#include <string_view>

#include "domain/compute.h"
#include "domain/run_spec.h"
#include "domain/finish_report.h"
#include "domain/session_ask.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto body = roost::parse_json(text, "the request body");
  if (!body) return body.error().message.empty() ? __builtin_trap(), 0 : 0;
  if (const auto spec = roost::parse_run_spec(*body)) {
    const roost::Json once = roost::run_spec_json(*spec);
    const auto again = roost::parse_run_spec(once);
    if (!again || roost::run_spec_json(*again) != once) __builtin_trap();
  }
  if (auto compute = roost::parse_compute(*body)) (void)roost::apply_compute_update(*body, *compute);
  (void)roost::parse_finish_report(*body);
  if (const auto ask = roost::parse_session_ask(*body)) {
    if (roost::session_ask_text(*ask, "ann").empty() || !roost::session_ask_json(*ask).is_object()) __builtin_trap();
  }
  return 0;
}
