#include "server/log_tails.h"

namespace roost {
namespace {

constexpr std::size_t kTail = 64 * 1024;
constexpr std::size_t kLastLines = 20;

std::string tail_of(const LogStore& logs, const LogTails::Name& name) {
  const auto size = logs.size(name.run, name.attempt, name.log);
  if (!size) return {};
  const std::uint64_t from = *size > kTail ? *size - kTail : 0;
  return logs.read(name.run, name.attempt, name.log, from, kTail).value_or("");
}

}  // namespace

const LogTails::Tail& LogTails::of(const Name& name) const {
  static const Tail kNone;
  const auto it = known_.find(name);
  if (it != known_.end()) return it->second;
  missing_.insert(name);
  return kNone;
}

void LogTails::read_missing(const LogStore& logs) {
  for (const auto& name : missing_) {
    known_[name] = {tail_of(logs, name), logs.last_lines(name.run, name.attempt, name.log, kLastLines)};
  }
  missing_.clear();
}

}  // namespace roost
