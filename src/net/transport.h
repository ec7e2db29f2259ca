#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>

namespace roost {

// Who is told, on the io thread, when an operation of a Transport has ended.
class TransportClient {
 public:
  virtual void handshake_done(const boost::system::error_code& error) = 0;
  virtual void read_done(const boost::system::error_code& error, std::size_t size) = 0;
  virtual void write_done(const boost::system::error_code& error, std::size_t size) = 0;
  virtual void shutdown_done() = 0;

 protected:
  ~TransportClient() = default;
};

// The byte stream under a connection: TCP, or TLS over TCP. All calls on the io thread; at most one
// read and one write at a time. The client is kept alive until it was told.
class Transport {
 public:
  using Client = std::shared_ptr<TransportClient>;
  virtual ~Transport() = default;

  virtual void handshake(Client client) = 0;
  virtual void read_some(boost::asio::mutable_buffer into, Client client) = 0;
  virtual void write_some(std::span<const boost::asio::const_buffer> bytes, Client client) = 0;
  // Writes what goes without waiting and returns how much that was; errors are left to
  // write_some().
  virtual std::size_t write_now(std::span<const boost::asio::const_buffer> bytes) = 0;
  // Tells the peer that no more will come, where it can be told while it is still sending.
  virtual void end_output() = 0;
  // Takes leave of a peer that is not sending: TLS has a message for that.
  virtual void shut_down(Client client) = 0;
  // Ends operations under way with an error.
  virtual void close() = 0;
};

std::unique_ptr<Transport> make_plain_transport(boost::asio::ip::tcp::socket socket);
std::unique_ptr<Transport> make_tls_transport(boost::asio::ip::tcp::socket socket,
                                              boost::asio::ssl::context& context);

}  // namespace roost
