#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "runner/notices.h"
#include "runner/output_tree.h"
#include "runner/server_link.h"

namespace roost {

// How long a server without room for an output is asked again. The time begins with the first refusal and
// is one for all outputs; after it each of the others is tried once.
class SpaceWait {
 public:
  SpaceWait(const Clock& clock, Micros patience, std::function<bool()> is_over)
      : clock_(clock), patience_(patience), is_over_(std::move(is_over)) {}
  // The server has no room now: whether to give up.
  bool gives_up();

 private:
  const Clock& clock_;
  const Micros patience_;
  const std::function<bool()> is_over_;
  std::optional<Micros> until_;
};

struct CollectedOutputs {
  Json files = Json::array();  // [{"path": "outputs/model.pt", "digest", "size"}]: these the server has
  std::vector<FoundOutput> without_room;
  std::string refused;  // why the server would not have another file; "" if there is none
  Notices notices;      // everything that was left out, by name

  // What to say of outputs that were lost; "" if only their names or kinds kept them from being stored.
  std::string failure() const;
};

// Uploads those of `files` that the server lacks. Each is opened once: what is hashed is what is sent.
// An error means that nobody wants the outputs any more.
Result<CollectedOutputs> upload_outputs(ServerLink& server, const OutputTree& tree, const std::vector<FoundOutput>& files,
                                        SpaceWait& space);

// All outputs that a run left, by their content. What the server has no room for is removed here, so that
// there is room for the records of the run.
Result<CollectedOutputs> collect_outputs(ServerLink& server, const OutputTree& tree, SpaceWait& space);

}  // namespace roost
