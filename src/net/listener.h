#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/files.h"
#include "base/result.h"

namespace roost {

// A listening TCP socket. No socket of ours may be inherited by the processes the server starts,
// not even for a moment: they outlive it and would keep its port taken.
Result<Fd> listen_on(const std::string& address, std::uint16_t port);

// Accepts connections on the thread of `context`.
class Listener {
 public:
  using Accepted = std::function<void(Fd socket, const boost::asio::ip::address& peer)>;
  Listener(boost::asio::io_context& context, Fd socket, Accepted accepted);
  void on_accept(Accepted accepted) { accepted_ = std::move(accepted); }  // before start()

  std::uint16_t port() const { return port_; }
  void start();
  void close();  // on the thread of `context`, or when it does not run

 private:
  void wait();
  void accept_all();
  void pause();

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer timer_;
  Accepted accepted_;
  std::uint16_t port_ = 0;
};

}  // namespace roost
