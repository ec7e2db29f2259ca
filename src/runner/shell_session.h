#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/json.h"
#include "runner/node_settings.h"
#include "runner/server_link.h"
#include "runner/shell_end.h"

namespace roost {

// One session of somebody with a run on this node, from the server's order to its end: dials back to the server, never the
// other way, and passes bytes on in both directions. What one side does not take, the other has to wait for: nothing is
// kept. run() is for a thread of its own; `settings` and `stop` must outlive it.
class ShellSession {
 public:
  // `order`: {"id", "kind", ...}, see ShellEnd.
  ShellSession(const NodeSettings& settings, std::string token, Json order, const std::atomic<bool>& stop);

  void run(const SideDoor& door);

 private:
  std::string path(const char* direction) const;
  void pass_output(ShellEnd& end);
  void take_input(ShellEnd& end);
  Status take_frame(ShellEnd& end, const Json& header, std::string_view payload);
  // False once the session is over.
  bool write_input(ShellEnd& end, std::string_view bytes);
  bool send(const std::string& frames);
  void send_end(const Json& how);

  const NodeSettings& settings_;
  const Json order_;
  const std::atomic<bool>& stop_;
  std::atomic<bool> over_ = false;
  ServerLink in_;
  ServerLink out_;
  ApiClient* in_client_ = nullptr;  // for whoever ends it
  std::mutex mutex_;                // of in_client_
  Fd over_wake_;                    // readable once it is over
};

}  // namespace roost
