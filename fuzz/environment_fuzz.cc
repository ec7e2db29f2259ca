// Definitions of environments, and what pip prints about them: whatever bytes come, the plan is
// refused with a reason or is the same again after its JSON form.
#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "builders/build_order.h"
#include "builders/pip_output.h"
#include "domain/version.h"
#include "registry/datasets.h"
#include "registry/datastores.h"
#include "registry/models.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  roost::PipOutput output;
  for (const auto& line : roost::split(text, '\n')) {
    output.add(line);
    (void)roost::requirement_name(line);
    (void)roost::requirement_condition(line);
    if (const auto version = roost::parse_version(line)) (void)roost::satisfies(*version, line);
  }
  if (output.problem().empty()) __builtin_trap();
  const auto body = roost::parse_json(text, "the definition");
  if (!body) return 0;
  (void)roost::parse_new_model(*body);
  (void)roost::parse_new_dataset(*body);
  (void)roost::parse_new_files(*body);
  (void)roost::parse_datastore(*body);
  const auto plan = roost::plan_environment(*body, roost::Pins::kNearest);
  if (!plan) return plan.error().message.empty() ? __builtin_trap(), 0 : 0;
  roost::BuildOrder order;
  order.plan = *plan;
  const auto again = roost::build_order_from(roost::build_order_json(order));
  if (again.plan.digest() != plan->digest()) __builtin_trap();
  return 0;
}
