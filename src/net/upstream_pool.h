#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "net/upstream_connection.h"
#include "net/upstreams.h"

namespace roost {

// The connections of Upstreams. Private to net/; one thread. Calls under way keep it alive.
class Upstreams::Pool : public std::enable_shared_from_this<Upstreams::Pool> {
 public:
  explicit Pool(boost::asio::io_context& context) : context_(context) {}

  void send(UpstreamCall call, Done done);
  void forget(const std::string& address, std::uint16_t port);
  void drop_dispensable();

 private:
  // A server lets go of idle connections too, and a request on its way just then would be lost: so this side is earlier.
  static constexpr std::chrono::seconds kKeep{30};
  static constexpr std::size_t kMostIdle = 512;  // of one server

  using Server = std::pair<std::string, std::uint16_t>;
  struct Idle {
    std::shared_ptr<UpstreamConnection> connection;
    std::chrono::steady_clock::time_point since;
  };
  struct Kept {
    std::vector<Idle> idle;  // the last one was used last
  };

  std::shared_ptr<UpstreamConnection> take(const Server& server);
  void give_back(const Server& server, std::shared_ptr<UpstreamConnection> connection);

  boost::asio::io_context& context_;
  std::map<Server, Kept> kept_;  // servers that are in use
  std::unordered_set<std::shared_ptr<UpstreamConnection>> dispensable_;
};

}  // namespace roost
