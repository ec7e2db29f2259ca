#pragma once

#include <set>
#include <string>
#include <vector>

#include "builders/build_order.h"
#include "builders/resolver.h"

namespace roost {

// What is to be installed, exactly.
struct Settled {
  std::vector<std::string> lock;
  std::set<std::string> only_binary;
  std::set<std::string> from_source;
};

// Finds versions that fit together, by the resolver's judgement alone. A pin that can be had is kept. Under
// Pins::kNearest one that cannot - no such version, withdrawn, no wheel for this Python where others have one, or in
// conflict - becomes the nearest release line above that fits all others, and one beyond the newest the
// newest. `unbuildable` are packages whose sources were tried and failed.
// Errors: kUnavailable if the index does not answer, else kFailedPrecondition with the line that matters.
Result<Settled> settle_versions(Resolver& resolver, const std::vector<std::string>& requirements, Pins pins,
                                const std::set<std::string>& unbuildable, const BuildLog& log);

}  // namespace roost
