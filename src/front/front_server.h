#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "front/front_endpoint.h"
#include "front/routing_table.h"
#include "net/http_server.h"
#include "net/upstreams.h"

namespace roost {

struct FrontOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  TlsFiles tls;
  std::string key;  // for its statistics
  std::uint64_t body_memory = 1ULL << 30;
  std::size_t most_connections = 0;
};

// What stands between clients and replicas: it finds the endpoint of a request, lets in who may come, chooses a deployment
// and a replica, waits for one where that is worth it, and counts. One thread does all of it, so that nothing is locked:
// what is not said to be for any thread is for that one.
class FrontServer {
 public:
  // Listens; serves after start().
  static Result<std::unique_ptr<FrontServer>> listen(FrontOptions options);
  ~FrontServer();  // stops

  void start();
  std::uint16_t port() const { return server_->port(); }
  // Any thread. What the table says holds for requests that come after it; those under way end as they began.
  void set_table(RoutingTable table);
  // Any thread but its own. Listens no more, answers those that wait for a replica with 503, and returns when what is
  // under way was answered.
  void stop();

 private:
  friend class Forwarding;

  // Where a request is to go.
  struct Target {
    std::shared_ptr<FrontEndpoint> endpoint;
    std::string prefix;  // "/endpoints/birds", "" on a port of its own
    std::string rest;    // path and query for the replica
    std::string path;    // the path alone, decoded
    bool is_v2 = false;
  };

  explicit FrontServer(FrontOptions options);
  Router make_router();

  // front.cc
  void apply(RoutingTable table);
  void listen_as_told();
  std::optional<Target> find_target(const Request& request) const;
  std::shared_ptr<FrontEndpoint> endpoint_of_port(std::uint16_t port) const;

  // front_check.cc: what is decided by the head of a request
  std::optional<Response> check(Request& request);
  std::optional<Response> check_target(Request& request, const Target& target);
  static Response would_take(const Target& target, std::uint64_t length);
  std::optional<Response> own_page(const Request& request);
  Response not_found(const Request& request) const;

  // front_stats.cc
  Json stats() const;
  std::string metrics() const;

  // Any request that check() let pass.
  std::function<void()> forward(Request& request, Answer answer);

  const FrontOptions options_;
  const std::int64_t started_;  // seconds since the epoch
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<Upstreams> upstreams_;
  bool has_table_ = false;
  bool is_stopping_ = false;
  std::int64_t generation_ = 0;
  std::map<std::string, std::shared_ptr<FrontEndpoint>> endpoints_;  // by slug
  std::map<std::uint16_t, std::string> ports_;                   // those listened on, and whose they are
  std::unique_ptr<Loop::Timer> port_timer_;
  std::size_t shadows_ = 0;  // under way
  std::size_t shadow_bytes_ = 0;
};

// The answer to a request that the front itself gives. `is_v2` says in which of the two shapes.
Response front_error(int status, const std::string& text, bool is_v2);
// Lets a page of another origin see it, if the endpoint allows that one.
void allow_origin(const TableEndpoint& endpoint, const Request& request, Response& response);

}  // namespace roost
