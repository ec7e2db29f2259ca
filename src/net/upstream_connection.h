#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/response_parser.h"
#include "net/upstreams.h"

namespace roost {

// One connection to a server, and the request that is on it. Private to net/; one thread. Operations under way keep it
// alive.
class UpstreamConnection : public std::enable_shared_from_this<UpstreamConnection> {
 public:
  explicit UpstreamConnection(boost::asio::io_context& context);

  // Connects if it has not, and sends. One call at a time.
  void start(UpstreamCall call, Upstreams::Done done);
  // After a call: it may have another one.
  bool is_reusable() const { return is_reusable_; }
  // Between calls: the server has neither closed it nor said anything since.
  bool is_fresh();
  // Ends the call under way.
  void drop();

 private:
  using Kind = UpstreamOutcome::Kind;
  using error_code = boost::system::error_code;

  boost::asio::awaitable<void> run();
  boost::asio::awaitable<UpstreamOutcome> exchange();
  boost::asio::awaitable<error_code> connect();
  void write();
  boost::asio::awaitable<UpstreamOutcome> receive();
  // False: this is not HTTP.
  bool parse(std::size_t received, std::string& why);
  void close_at(std::chrono::steady_clock::time_point time);
  void close();
  UpstreamOutcome failure(Kind kind, std::string why);

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  std::uint64_t settings_ = 0;  // of the timer
  bool is_connected_ = false;
  bool is_reusable_ = false;

  // Of the call under way.
  UpstreamCall call_;
  Upstreams::Done done_;
  bool is_late_ = false;
  bool is_writing_ = false;
  std::string write_error_;
  std::optional<ResponseParser> parser_;
  ClientResponse response_;
  bool head_came_ = false;
  std::string unparsed_;
  std::array<char, 32 * 1024> buffer_;
};

}  // namespace roost
