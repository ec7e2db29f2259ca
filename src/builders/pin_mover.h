#pragma once

#include <map>
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
  bool wheels_only = false;  // all but `from_source`, and what comes from a URL, are ready-made
};

// Packages whose sources were tried and could not be built, with the versions that were tried.
using Unbuildable = std::map<std::string, std::vector<std::string>>;

// Finds versions that fit together, by the resolver's judgement alone. A pin that can be had is kept. Under
// Pins::kNearest one that cannot - no such version, withdrawn, no wheel for this Python where others have one, or in
// conflict - becomes the nearest release line above that fits all others, of the same major version if that has one,
// and one beyond the newest the newest. Of a package that is never ready-made and whose source was tried the next
// release line is taken, then the newest.
// Errors: kUnavailable if the index does not answer, else kFailedPrecondition with the line that matters.
Result<Settled> settle_versions(Resolver& resolver, const std::vector<std::string>& requirements, Pins pins,
                                const Unbuildable& unbuildable, const BuildLog& log);

}  // namespace roost
