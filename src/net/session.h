#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/worker_pool.h"
#include "net/body_queue.h"
#include "net/event.h"
#include "net/http_server.h"
#include "net/input_buffer.h"
#include "net/request_parser.h"
#include "net/response_head.h"
#include "net/transport.h"
#include "net/wake_line.h"

namespace roost {

class IoThread;

// What all connections of a server use. Outlives them.
struct ServerParts {
  HttpServerOptions options;
  Router router;
  std::unique_ptr<WorkerPool> workers;
  std::vector<std::unique_ptr<WorkerPool>> lanes;
  std::unique_ptr<WorkerPool> upload_workers;  // for handlers that wait for their request's body
  std::atomic<std::uint64_t> body_bytes = 0;   // of bodies in memory

  WorkerPool& pool_of(const Route& route) {
    return route.lane == 0 || route.lane > lanes.size() ? *workers : *lanes[route.lane - 1];
  }
};

// A share of ServerParts::body_bytes, given back at the end.
class BodyShare {
 public:
  explicit BodyShare(ServerParts& parts) : parts_(parts) {}
  ~BodyShare() { parts_.body_bytes -= held_; }
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;
  // Makes the share at least `bytes`; false if there is not that much left.
  bool grow_to(std::uint64_t bytes) {
    if (bytes <= held_) return true;
    const std::uint64_t more = bytes - held_;
    if (parts_.body_bytes.fetch_add(more) + more > parts_.options.body_memory) {
      parts_.body_bytes -= more;
      return false;
    }
    held_ = bytes;
    return true;
  }

 private:
  ServerParts& parts_;
  std::uint64_t held_ = 0;
};

// One request and its answer.
struct Exchange {
  explicit Exchange(ServerParts& parts) : share(parts) {}

  std::shared_ptr<void> admission;
  BodyShare share;
  RequestParser parser;
  std::chrono::steady_clock::time_point began;
  Request request;
  const Route* route = nullptr;
  bool is_answered = false;  // by the check of its head
  bool is_not_admitted = false;
  bool must_close = true;  // until the parser knows where the request ends
  bool continue_sent = false;

  Response response;
  bool keep_alive = false;
  // Of response.stream: what its last next() said.
  ResponseStream::Step step = ResponseStream::Step::kWait;
  std::string piece;
  bool stream_failed = false;  // next() threw
};

// One connection: reads a request, has it answered on a worker, writes the answer, and so on.
// Belongs to one io thread; everything but the work handed to workers runs there. It is one
// coroutine, run(), that sleeps on one Event. Kept alive by that coroutine and by operations under
// way.
class Session final : public std::enable_shared_from_this<Session>, public TransportClient {
 public:
  Session(IoThread& io, ServerParts& parts, std::unique_ptr<Transport> transport,
          bool peer_is_loopback, std::string peer, std::uint16_t local_port, std::shared_ptr<void> place);
  ~Session();

  void start();
  // Ends as HttpServer::stop() says.
  void stop();
  void close_if_late(std::chrono::steady_clock::time_point now);
  // Since when it has waited for the first byte of a request; nothing if it is at work.
  const std::optional<std::chrono::steady_clock::time_point>& waiting_since() const { return waiting_since_; }
  bool has_served() const { return has_served_; }
  // Another connection needs its place.
  void make_way();

 private:
  // How long a peer may take for its last answer when the server stops.
  static constexpr std::chrono::milliseconds kLastAnswer{5000};

  using Await = boost::asio::awaitable<bool>;  // false: the connection is of no more use

  // session.cc
  boost::asio::awaitable<void> run();
  Await shake_hands();
  Await serve_request();
  Await read_head(std::optional<Refusal>& refusal);
  std::optional<Refusal> find_route();
  Await answer();
  boost::asio::awaitable<void> hang_up();
  void refuse(const Refusal& refusal);
  void log_failure();
  void observe();

  // session_body.cc: the request's body
  bool has_large_body() const;
  // Before anything of a large body is taken: false if the answer is there already.
  Await may_send_body(std::optional<Refusal>& refusal);
  Await read_body(std::optional<Refusal>& refusal);
  // Runs the handler while the body comes; returns when the handler has.
  boost::asio::awaitable<void> stream_body(std::optional<Refusal>& refusal);
  boost::asio::awaitable<void> pump_body(std::optional<Refusal>& refusal);
  // What is there of the body, at once. `out` may stay empty.
  std::optional<Refusal> parse_body(std::string& out);
  Await discard_body();
  bool few_bytes_remain() const;
  Await send_continue();
  void size_input_for_body();

  // session_stream.cc: an answer made piece by piece
  Await send_stream();
  Await send_pieces(BodyFraming framing, std::string& head);
  // Writes the head if it is still to be sent, and a piece as `framing` wants it.
  Await send_piece(const BodyFraming& framing, std::string& head, std::string_view piece);
  Await wait_for_news();
  void drop_stream();

  // On a worker.
  void run_head_check();
  void run_handler();
  void call_handler();
  void run_stream_step();
  void connect_wake_line();

  // session_io.cc: what the others wait for
  // Starts `work` on a worker; working_ until it is done.
  void start_work(WorkerPool& pool, void (Session::*work)());
  Await work_done();
  // Has the route's LaterHandler answer, and watches whether the peer stays.
  Await answer_later();
  void take_answer(Response response);

  // Starts a read unless one is under way or there is no room.
  void start_read();
  // Waits for more input than there is.
  Await read_more();
  // Writes out_, all of it.
  Await write();

  void notify_from_elsewhere();
  Transport::Client me() { return shared_from_this(); }
  void set_deadline(std::chrono::milliseconds from_now);
  void clear_deadline();

  void handshake_done(const boost::system::error_code& error) override;
  void read_done(const boost::system::error_code& error, std::size_t size) override;
  void write_done(const boost::system::error_code& error, std::size_t size) override;
  void shutdown_done() override;

  IoThread& io_;
  ServerParts& parts_;
  std::unique_ptr<Transport> transport_;
  const bool peer_is_loopback_;
  const std::string peer_;
  const std::uint16_t local_port_;
  const std::shared_ptr<void> place_;  // counts this connection as its peer's

  Event news_;
  bool stopping_ = false;
  bool late_ = false;
  std::optional<std::chrono::steady_clock::time_point> waiting_since_;
  bool has_served_ = false;  // a request
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();

  InputBuffer input_;
  bool reading_ = false;
  bool input_ended_ = false;  // or broke
  std::array<boost::asio::const_buffer, 3> out_;
  std::size_t written_ = 0;
  bool writing_ = false;
  bool output_broke_ = false;
  std::optional<bool> handshake_ok_;
  bool shut_down_ = false;
  bool linger_ = false;  // the peer may still be sending

  std::optional<Exchange> exchange_;
  std::optional<BodyQueue> body_;
  bool working_ = false;

  std::shared_ptr<WakeLine> wake_line_;
  boost::asio::steady_timer timer_;
  bool timer_rang_ = false;
};

}  // namespace roost
