#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/app.h"

namespace roost {

// One thing that a page shows and wants to hear of. A topic tells a state whenever it is another than the one told
// last, so that whoever connects anew has missed nothing; a log goes on from the offset that its name gives.
class LiveTopic {
 public:
  explicit LiveTopic(std::string name) : name_(std::move(name)) {}
  virtual ~LiveTopic() = default;

  // The keys of the hub at which to look again.
  virtual std::vector<std::string> keys() const = 0;
  // Adds the events that are due; nothing if nothing changed.
  virtual Status look(App& app, std::string& out) = 0;
  // Whether there is more to send at once.
  virtual bool has_more() const { return false; }

 protected:
  void add_event(std::string& out, std::string_view type, Json data) const;

 private:
  const std::string name_;
};

// A topic by its name, as `who` may see it; kInvalidArgument says which there are.
Result<std::unique_ptr<LiveTopic>> live_topic(App& app, const Principal& who, const std::string& name);

}  // namespace roost
