#include "execute/log_tails.h"

namespace roost {

const LogTails::Tail& LogTails::of(const Name& name) const {
  static const Tail kNone;
  const auto it = known_.find(name);
  if (it != known_.end()) return it->second;
  missing_.insert(name);
  return kNone;
}

void LogTails::read_missing(const ReadTail& read) {
  for (const auto& name : missing_) known_[name] = read(name);
  missing_.clear();
}

}  // namespace roost
