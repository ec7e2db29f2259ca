#include "net/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>
#include <vector>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include "base/refusal_log.h"
#include "net/address_limit.h"
#include "net/io_thread.h"
#include "net/listener.h"
#include "net/response_head.h"
#include "net/server_tls.h"
#include "net/session.h"

namespace roost {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// Small answers go out at once; a peer whose machine died is noticed after a minute.
void tune(int fd) {
  const auto set = [fd](int level, int option, int value) {
    ::setsockopt(fd, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

}  // namespace

class HttpServer::Server {
 public:
  Server(HttpServerOptions options, Router router, Fd socket,
         std::unique_ptr<asio::ssl::context> tls)
      : tls_(std::move(tls)), addresses_(options.address_connections) {
    parts_.options = std::move(options);
    parts_.router = std::move(router);
    const int threads = std::max(1, parts_.options.io_threads);
    const std::size_t most = parts_.options.most_connections;
    for (int i = 0; i < threads; ++i) {
      threads_.push_back(std::make_unique<IoThread>(
          parts_.options.timeouts, most == 0 ? 0 : std::max<std::size_t>(1, most / static_cast<std::size_t>(threads))));
    }
    listener_ = make_listener(std::move(socket));
  }

  std::uint16_t port() const { return listener_->port(); }

  void start() {
    if (std::exchange(started_, true)) return;
    const int workers = std::max(1, parts_.options.worker_threads);
    parts_.workers = std::make_unique<WorkerPool>(workers, parts_.options.most_workers);
    for (const int threads : parts_.options.lanes) {
      parts_.lanes.push_back(std::make_unique<WorkerPool>(std::max(1, threads)));
    }
    parts_.upload_workers = std::make_unique<WorkerPool>(workers, std::max(workers, parts_.options.most_uploads));
    listener_->start();
    for (auto& thread : threads_) thread->start();
  }

  void stop() {
    if (stopped_.exchange(true)) return;
    if (!std::exchange(started_, true)) return listener_->close();
    asio::post(threads_[0]->context(), [this] {
      listener_->close();
      also_.clear();
    });
    // The first one last: it hands connections to the others.
    for (auto thread = threads_.rbegin(); thread != threads_.rend(); ++thread) (*thread)->stop();
    for (auto thread = threads_.rbegin(); thread != threads_.rend(); ++thread) (*thread)->join();
    // Streams that ended are destroyed there.
    parts_.upload_workers.reset();
    parts_.lanes.clear();
    parts_.workers.reset();
  }

  Result<std::uint16_t> also_listen(const std::string& address, std::uint16_t port) {
    ROOST_TRY(Fd socket, listen_on(address, port));
    std::shared_ptr<Listener> listener = make_listener(std::move(socket));
    const std::uint16_t taken = listener->port();
    asio::post(threads_[0]->context(), [this, listener, taken] {
      if (stopped_) return;
      listener->start();
      also_[taken] = listener;
    });
    return taken;
  }

  void no_longer_listen(std::uint16_t port) {
    asio::post(threads_[0]->context(), [this, port] { also_.erase(port); });
  }

  Loop& loop() { return threads_[0]->loop(); }

 private:
  std::unique_ptr<Listener> make_listener(Fd socket) {
    auto made = std::make_unique<Listener>(threads_[0]->context(), std::move(socket), nullptr);
    const std::uint16_t port = made->port();
    made->on_accept([this, port](Fd accepted, const asio::ip::address& peer) { adopt(std::move(accepted), peer, port); });
    return made;
  }

  void adopt(Fd accepted, const asio::ip::address& peer, std::uint16_t port) {
    refused_.sum_up();
    auto place = addresses_.enter(peer);
    if (!place) return turn_away(accepted.get(), peer);
    tune(accepted.get());
    IoThread& thread = *threads_[next_thread_++ % threads_.size()];
    auto fd = std::make_shared<Fd>(std::move(accepted));
    const auto protocol = peer.is_v6() ? tcp::v6() : tcp::v4();
    asio::dispatch(thread.context(), [this, &thread, fd, protocol, peer, port, place] {
      tcp::socket socket(thread.context());
      boost::system::error_code error;
      socket.assign(protocol, fd->get(), error);
      if (error) return;
      fd->release();
      auto transport = tls_ ? make_tls_transport(std::move(socket), *tls_)
                            : make_plain_transport(std::move(socket));
      thread.add(std::make_shared<Session>(thread, parts_, std::move(transport), is_loopback(peer),
                                            peer.to_string(), port, place));
    });
  }

  // Costs the server nothing that stays: it says what it can without waiting.
  void turn_away(int socket, const asio::ip::address& peer) {
    const std::string name = AddressLimit::name_of(peer);
    const Error error{ErrorCode::kUnavailable,
                      "there are as many connections from " + name +
                          " as one address may have; close some, or raise address_connections of the server"};
    refused_.refused(name, "a connection from " + name, error.message);
    if (tls_) return;  // what it would understand takes a handshake
    Response response;
    response.status = http_status(error.code);
    response.content_type = "application/json";
    response.headers["Retry-After"] = "1";
    if (parts_.options.error_body) response.body = parts_.options.error_body(error);
    const std::string text = response_head(response, {BodyFraming::kLength, response.body.size()}, false, false,
                                           parts_.options.extra_head) +
                             response.body;
    (void)::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::shutdown(socket, SHUT_WR);
    // Unread bytes would make the close a reset, which may overtake the answer.
    char ignored[4096];
    while (::recv(socket, ignored, sizeof ignored, MSG_DONTWAIT) > 0) {
    }
  }

  ServerParts parts_;
  std::unique_ptr<asio::ssl::context> tls_;
  AddressLimit addresses_;
  SystemClock clock_;
  RefusalLog refused_{clock_};
  std::vector<std::unique_ptr<IoThread>> threads_;
  std::unique_ptr<Listener> listener_;
  std::map<std::uint16_t, std::shared_ptr<Listener>> also_;  // by port; on the first thread
  std::size_t next_thread_ = 0;
  bool started_ = false;
  std::atomic<bool> stopped_ = false;
};

Result<std::unique_ptr<HttpServer>> HttpServer::listen(HttpServerOptions options, Router router) {
  std::unique_ptr<asio::ssl::context> tls;
  if (!options.tls.certificate.empty()) {
    ROOST_TRY(tls, load_server_tls(options.tls));
  }
  ROOST_TRY(Fd socket, listen_on(options.address, options.port));
  auto server = std::make_unique<Server>(std::move(options), std::move(router), std::move(socket),
                                         std::move(tls));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(server)));
}

HttpServer::HttpServer(std::unique_ptr<Server> server) : server_(std::move(server)) {}
HttpServer::~HttpServer() { stop(); }
std::uint16_t HttpServer::port() const { return server_->port(); }
void HttpServer::start() { server_->start(); }
void HttpServer::stop() { server_->stop(); }
Loop& HttpServer::loop() { return server_->loop(); }
void HttpServer::no_longer_listen(std::uint16_t port) { server_->no_longer_listen(port); }
Result<std::uint16_t> HttpServer::also_listen(const std::string& address, std::uint16_t port) {
  return server_->also_listen(address, port);
}

}  // namespace roost
