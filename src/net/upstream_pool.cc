#include "net/upstream_pool.h"

namespace roost {

using std::chrono::steady_clock;

void Upstreams::Pool::send(UpstreamCall call, Done done) {
  const Server server(call.address, call.port);
  auto connection = take(server);
  if (!connection) connection = std::make_shared<UpstreamConnection>(context_);
  const bool is_dispensable = call.is_dispensable;
  if (is_dispensable) dispensable_.insert(connection);
  connection->start(std::move(call), [pool = shared_from_this(), server, connection = connection.get(), is_dispensable,
                                      done = std::move(done)](UpstreamOutcome outcome) {
    auto held = connection->shared_from_this();
    if (is_dispensable) pool->dispensable_.erase(held);
    if (held->is_reusable()) pool->give_back(server, std::move(held));
    done(std::move(outcome));
  });
}

std::shared_ptr<UpstreamConnection> Upstreams::Pool::take(const Server& server) {
  std::vector<Idle>& idle = kept_[server].idle;
  const auto oldest = steady_clock::now() - kKeep;
  while (!idle.empty()) {
    Idle last = std::move(idle.back());
    idle.pop_back();
    if (last.since >= oldest && last.connection->is_fresh()) return last.connection;
    // Those before it are older still.
    if (last.since < oldest) idle.clear();
  }
  return nullptr;
}

void Upstreams::Pool::give_back(const Server& server, std::shared_ptr<UpstreamConnection> connection) {
  // Whoever was forgotten meanwhile is not kept.
  const auto found = kept_.find(server);
  if (found == kept_.end() || found->second.idle.size() >= kMostIdle) return;
  found->second.idle.push_back({std::move(connection), steady_clock::now()});
}

void Upstreams::Pool::forget(const std::string& address, std::uint16_t port) { kept_.erase({address, port}); }

void Upstreams::Pool::drop_dispensable() {
  // A copy: those that end take themselves out.
  const auto all = dispensable_;
  for (const auto& connection : all) connection->drop();
}

}  // namespace roost
