#include "execute/shell_sessions.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/frames.h"
#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kMostKnownPorts = 10'000;
constexpr const char* kNodeGone = "the connection to the run's node broke; the run itself goes on, if its node does";

}  // namespace

std::string ShellSessions::topic(const std::string& id, Side side) {
  return fmt::format("session/{}/{}", id, side == Side::kCaller ? "caller" : "node");
}

void ShellSessions::publish(const std::string& id) {
  hub_.publish(topic(id, Side::kCaller));
  hub_.publish(topic(id, Side::kNode));
}

Result<ShellSessions::Opened> ShellSessions::open(Opening opening) {
  sweep();
  const std::lock_guard lock(mutex_);
  int same = 0;
  for (const auto& [id, session] : sessions_) {
    same += session.opening.run == opening.run && (session.opening.port != 0) == (opening.port != 0) && !session.is_over ? 1 : 0;
  }
  if (same >= (opening.port != 0 ? kMostPortsOfRun : kMostOfRun)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("run {} has {} open {} already; end one of them first", opening.run, same,
                            opening.port != 0 ? "connections to its ports" : "sessions"));
  }
  Opened opened{random_hex(16)};
  if (opening.port != 0) {
    if (known_ports_.size() > kMostKnownPorts) known_ports_.clear();
    opened.is_news = known_ports_.insert(fmt::format("{}/{}/{}/{}", opening.run, opening.attempt, opening.port, opening.user)).second;
  }
  Session session;
  session.opening = std::move(opening);
  session.since = clock_.steady();
  sessions_.emplace(opened.id, std::move(session));
  return opened;
}

std::vector<ShellSessions::Asked> ShellSessions::asked_of(const std::string& node) {
  const std::lock_guard lock(mutex_);
  std::vector<Asked> asked;
  for (const auto& [id, session] : sessions_) {
    if (session.opening.node != node || session.has_node || session.is_over) continue;
    asked.push_back({id, session.opening.run, session.opening.attempt, session.opening.order});
  }
  return asked;
}

Status ShellSessions::check(const std::string& id, Side side, const std::string& whose, const std::string& run) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  const bool is_theirs = found != sessions_.end() &&
                         (side == Side::kNode ? found->second.opening.node == whose
                                              : found->second.opening.user == whose && found->second.opening.run == run);
  if (is_theirs) return {};
  return fail(ErrorCode::kNotFound, "there is no such session; it has ended, or the server was restarted meanwhile");
}

bool ShellSessions::follow(const std::string& id, Side side) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return false;
  bool& has = side == Side::kCaller ? found->second.has_caller : found->second.has_node;
  return !std::exchange(has, true);
}

void ShellSessions::unfollow(const std::string& id, Side side) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return;
    if (side == Side::kCaller) {
      sessions_.erase(found);
    } else {
      end_locked(found->second, kNodeGone);
    }
  }
  publish(id);
}

ShellSessions::Sent ShellSessions::send(const std::string& id, Side from, std::string& bytes, bool is_last) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end() || found->second.is_over) return Sent::kOver;
    std::string& queue = from == Side::kCaller ? found->second.to_node : found->second.to_caller;
    if (queue.size() >= kRoom) return Sent::kFull;
    queue.empty() ? queue.swap(bytes) : void(queue += bytes);
    bytes.clear();
    found->second.since = clock_.steady();
    found->second.is_over = is_last;
  }
  is_last ? publish(id) : hub_.publish(topic(id, from == Side::kCaller ? Side::kNode : Side::kCaller));
  return Sent::kTaken;
}

ShellSessions::Received ShellSessions::receive(const std::string& id, Side to) {
  Received received;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return {"", true};
    received.bytes = std::exchange(to == Side::kCaller ? found->second.to_caller : found->second.to_node, {});
    received.is_over = found->second.is_over;
  }
  // There is room for the other one.
  if (!received.bytes.empty()) hub_.publish(topic(id, to == Side::kCaller ? Side::kNode : Side::kCaller));
  return received;
}

void ShellSessions::end_locked(Session& session, const std::string& why) {
  if (session.is_over) return;
  session.is_over = true;
  session.to_node.clear();
  append_frame(session.to_caller, {{"k", "end"}, {"error", why}}, "");
}

void ShellSessions::end(const std::string& id, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return;
    end_locked(found->second, why);
  }
  publish(id);
}

void ShellSessions::end_of_run(const std::string& run, std::int64_t attempt, const std::string& why) {
  std::vector<std::string> ended;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, session] : sessions_) {
      if (session.opening.run != run || session.opening.attempt == attempt || session.is_over) continue;
      end_locked(session, why);
      ended.push_back(id);
    }
  }
  for (const auto& id : ended) publish(id);
}

void ShellSessions::sweep() {
  std::vector<std::string> ended;
  {
    const std::lock_guard lock(mutex_);
    const Micros now = clock_.steady();
    for (auto it = sessions_.begin(); it != sessions_.end();) {
      Session& session = it->second;
      const Micros idle = now - session.since;
      if (!session.has_caller && idle > limits_.to_come) {
        ended.push_back(it->first);
        it = sessions_.erase(it);
        continue;
      }
      if (!session.is_over && !session.has_node && idle > limits_.to_come) {
        end_locked(session, fmt::format("node {} did not answer", session.opening.node));
        ended.push_back(it->first);
      } else if (!session.is_over && idle > limits_.idle) {
        end_locked(session, fmt::format("nothing was typed or printed for {}; the session was ended",
                                        human_duration(static_cast<double>(limits_.idle) / kSecond)));
        ended.push_back(it->first);
      }
      ++it;
    }
  }
  for (const auto& id : ended) publish(id);
}

int ShellSessions::count(const std::string& run) const {
  const std::lock_guard lock(mutex_);
  int count = 0;
  for (const auto& [id, session] : sessions_) count += session.opening.run == run && !session.is_over ? 1 : 0;
  return count;
}

}  // namespace roost
