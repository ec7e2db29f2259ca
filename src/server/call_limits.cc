#include "server/call_limits.h"

#include <fmt/format.h>

namespace roost {

Result<std::shared_ptr<void>> CallLimits::admit(const std::string& caller, bool is_machine, bool is_upload) {
  const int times = is_machine ? most_.for_machines : 1;
  {
    const std::lock_guard lock(counts_->mutex);
    Count& count = counts_->of[caller];
    if (count.requests >= most_.requests * times || (is_upload && count.uploads >= most_.uploads * times)) {
      return fail(ErrorCode::kUnavailable,
                  fmt::format("you have {} requests under way, {} of them uploads, which is as many as one caller may have; "
                              "wait for some to end",
                              count.requests, count.uploads));
    }
    ++count.requests;
    count.uploads += is_upload ? 1 : 0;
  }
  const auto leave = [counts = counts_, caller, is_upload](void*) {
    const std::lock_guard lock(counts->mutex);
    const auto at = counts->of.find(caller);
    at->second.uploads -= is_upload ? 1 : 0;
    if (--at->second.requests == 0) counts->of.erase(at);
  };
  return std::shared_ptr<void>(nullptr, leave);
}

}  // namespace roost
