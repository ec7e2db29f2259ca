#include "front/front_server.h"

#include <chrono>
#include <ctime>
#include <future>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "front/forwarding.h"

namespace roost {
namespace {

constexpr std::uint64_t kMostBody = 16ULL << 30;  // the endpoint says less
constexpr std::chrono::seconds kPortAgain{1};

std::string error_body(const Error& error) {
  return to_text({{"error", error.message}, {"message", error.message}});
}

}  // namespace

Response front_error(int status, const std::string& text, bool is_v2) {
  Response response;
  response.status = status;
  response.body = to_text({{is_v2 ? "error" : "message", text}});
  response.is_expected = true;
  if (status == 503) response.headers["Retry-After"] = "1";
  return response;
}

Result<std::unique_ptr<FrontServer>> FrontServer::listen(FrontOptions options) {
  std::unique_ptr<FrontServer> front(new FrontServer(std::move(options)));
  HttpServerOptions http;
  http.address = front->options_.address;
  http.port = front->options_.port;
  http.tls = front->options_.tls;
  http.io_threads = 1;
  http.worker_threads = 1;  // nothing blocks
  http.body_memory = front->options_.body_memory;
  http.most_connections = front->options_.most_connections;
  http.error_body = error_body;
  ROOST_TRY(front->server_, HttpServer::listen(std::move(http), front->make_router()));
  front->upstreams_ = std::make_unique<Upstreams>(front->server_->loop());
  return front;
}

FrontServer::FrontServer(FrontOptions options) : options_(std::move(options)), started_(std::time(nullptr)) {}

FrontServer::~FrontServer() { stop(); }

void FrontServer::start() { server_->start(); }

Router FrontServer::make_router() {
  Router router;
  for (const char* method : {"GET", "HEAD", "POST", "OPTIONS"}) {
    for (const char* pattern : {"/", "/{rest...}"}) {
      Route route{method, pattern, "forward", {kMostBody, false}, {}};
      route.check_head = [this](Request& request) { return check(request); };
      route.later = [this](Request& request, Answer answer) { return forward(request, std::move(answer)); };
      router.add(std::move(route));
    }
  }
  return router;
}

void FrontServer::set_table(RoutingTable table) {
  auto moved = std::make_shared<RoutingTable>(std::move(table));
  server_->loop().post([this, moved] { apply(std::move(*moved)); });
}

void FrontServer::apply(RoutingTable table) {
  if (is_stopping_) return;
  has_table_ = true;
  generation_ = table.generation;
  std::set<std::pair<std::string, std::uint16_t>> before;
  std::set<std::pair<std::string, std::uint16_t>> after;
  const auto note = [this](auto& places) {
    for (const auto& [slug, endpoint] : endpoints_) {
      for (const auto& [name, deployment] : endpoint->deployments()) {
        for (const auto& replica : deployment->table.replicas) places.emplace(replica.address, replica.port);
      }
    }
  };
  note(before);
  auto known = std::exchange(endpoints_, {});
  for (auto& given : table.endpoints) {
    auto& place = endpoints_[given.slug];
    const auto found = known.find(given.slug);
    // Another endpoint may have got the slug.
    const bool is_same = found != known.end() && found->second->table->workspace == given.workspace &&
                         found->second->table->name == given.name;
    place = is_same ? std::move(found->second) : std::make_shared<FrontEndpoint>(server_->loop());
    if (is_same) known.erase(found);
    place->set(std::move(given));
  }
  for (const auto& [slug, endpoint] : known) endpoint->end();
  note(after);
  for (const auto& [address, port] : before) {
    if (!after.contains({address, port})) upstreams_->forget(address, port);
  }
  listen_as_told();
}

// Opens and closes the ports that endpoints have for themselves. One that is taken is tried again: it may become free.
void FrontServer::listen_as_told() {
  port_timer_.reset();
  std::map<std::uint16_t, std::string> wanted;
  bool has_failed = false;
  for (const auto& [slug, endpoint] : endpoints_) {
    endpoint->port_error.clear();
    const std::uint16_t port = endpoint->table->port;
    if (port == 0) continue;
    if (port == server_->port()) {
      endpoint->port_error = "port " + std::to_string(port) + " is the one all endpoints share; choose another";
    } else if (const auto [other, is_new] = wanted.try_emplace(port, slug); !is_new) {
      endpoint->port_error = "port " + std::to_string(port) + " belongs to endpoint " + other->second + "; choose another";
    } else if (!ports_.contains(port)) {
      if (const auto listens = server_->also_listen(options_.address, port); !listens) {
        endpoint->port_error = listens.error().message;
        has_failed = true;
        wanted.erase(port);
      }
    }
  }
  for (const auto& [port, slug] : ports_) {
    if (!wanted.contains(port)) server_->no_longer_listen(port);
  }
  ports_ = std::move(wanted);
  if (has_failed) port_timer_ = server_->loop().after(kPortAgain, [this] { listen_as_told(); });
}

void FrontServer::stop() {
  if (!server_) return;
  std::promise<void> told;
  server_->loop().post([this, &told] {
    is_stopping_ = true;
    port_timer_.reset();
    for (const auto& [slug, endpoint] : endpoints_) {
      for (const auto& [name, deployment] : endpoint->deployments()) deployment->queue.stop();
    }
    upstreams_->drop_dispensable();
    told.set_value();
  });
  server_->start();  // if it never did; else there is nobody to be told
  told.get_future().wait();
  server_->stop();
  // All that has timers or connections of the loop goes before it.
  endpoints_.clear();
  upstreams_.reset();
  server_.reset();
}

std::function<void()> FrontServer::forward(Request& request, Answer answer) {
  const auto target = find_target(request);
  if (!target) {
    answer(not_found(request));
    return {};
  }
  return Forwarding::start(*this, request, std::move(answer), *target);
}

}  // namespace roost
