#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "records/change_hub.h"

namespace roost {

// How long a session may last.
struct ShellLimits {
  Micros idle = 3600 * kSecond;   // without a byte in either direction
  Micros to_come = 20 * kSecond;  // for both sides to be there
};

// Sessions of people with runs on their nodes: programs beside those of a run, and its ports. The caller and the runner,
// which dials back for it, each send pieces and follow what the other sends; the server passes them on and keeps no more
// than kRoom in each direction. In memory only: they end with the server, and with the run. Thread-safe; nothing here waits.
class ShellSessions {
 public:
  static constexpr std::size_t kRoom = 1 << 20;  // then a sender has to wait
  static constexpr int kMostOfRun = 16;
  static constexpr int kMostPortsOfRun = 128;    // a page opens many connections

  ShellSessions(const Clock& clock, ChangeHub& hub, ShellLimits limits = {}) : clock_(clock), hub_(hub), limits_(limits) {}

  struct Opening {
    std::string run;  // its id
    std::int64_t attempt = 0;
    std::string node;
    std::string user;  // whose it is
    std::int64_t port = 0;  // 0: a program
    Json order;  // for the node
  };
  struct Opened {
    std::string id;
    bool is_news = true;  // false: another connection to a port that this user has been told to have
  };
  // kFailedPrecondition if the run has too many.
  Result<Opened> open(Opening opening);
  // What the node has to be told of.
  struct Asked {
    std::string id;
    std::string run;
    std::int64_t attempt = 0;
    Json order;
  };
  std::vector<Asked> asked_of(const std::string& node);

  enum class Side { kCaller, kNode };
  // Whose session it is, before anything else: kNotFound for all others. `whose`: the user, or the node.
  Status check(const std::string& id, Side side, const std::string& whose, const std::string& run);
  // One follower a side. False if there is one already.
  bool follow(const std::string& id, Side side);
  // It has gone, and with it the session.
  void unfollow(const std::string& id, Side side);

  enum class Sent { kTaken, kFull, kOver };
  // Takes the bytes, whole frames, for the other side. `is_last`: they end it.
  Sent send(const std::string& id, Side from, std::string& bytes, bool is_last = false);

  struct Received {
    std::string bytes;
    bool is_over = false;  // and nothing more comes
  };
  Received receive(const std::string& id, Side to);

  // Ends it with a word for the caller.
  void end(const std::string& id, const std::string& why);
  // Ends those of a run that are not of this attempt; 0: all.
  void end_of_run(const std::string& run, std::int64_t attempt, const std::string& why);
  // Ends those that nobody uses. To be called now and then.
  void sweep();
  int count(const std::string& run) const;

  // What is published when there is something to receive there, or room to send from there.
  static std::string topic(const std::string& id, Side side);

 private:
  struct Session {
    Opening opening;
    std::string to_node;
    std::string to_caller;
    bool has_caller = false;
    bool has_node = false;
    bool is_over = false;  // kept until the caller has read the last word
    Micros since = 0;      // of the last byte, by the monotonic clock
  };
  void end_locked(Session& session, const std::string& why);
  void publish(const std::string& id);

  const Clock& clock_;
  ChangeHub& hub_;
  const ShellLimits limits_;
  mutable std::mutex mutex_;
  std::map<std::string, Session> sessions_;
  std::set<std::string> known_ports_;  // of which run, by whom
};

}  // namespace roost
