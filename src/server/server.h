#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "server/config.h"

namespace roost {

// The control plane in one process: opens the data folder, binds the address, serves until stopped.
class Server {
 public:
  // Fails, having changed nothing that matters, if another server uses the data folder or the
  // address is taken or exposed without TLS.
  static Result<std::unique_ptr<Server>> start(ServerConfig config);
  ~Server();

  const std::string& url() const;
  // Blocks until someone asks for the end through the API, or until `interrupted` becomes true
  // (looked at several times a second; for signal handlers).
  void wait(const std::function<bool()>& interrupted);

 private:
  class Parts;
  explicit Server(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// One line per operation, "METHOD PATTERN operationId", for the test that holds the server to its
// contract.
std::string route_listing();

}  // namespace roost
