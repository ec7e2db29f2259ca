#include "net/transport.h"

#include <array>
#include <utility>

#include <boost/asio/ssl/stream.hpp>

namespace roost {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Asio wants a buffer sequence that it can copy; a span is one that points elsewhere.
using Buffers = std::span<const asio::const_buffer>;

void close_socket(tcp::socket& socket) {
  error_code ignored;
  socket.close(ignored);
}

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(tcp::socket socket) : socket_(std::move(socket)) {
    error_code ignored;
    socket_.non_blocking(true, ignored);
  }

  void handshake(Client client) override { client->handshake_done({}); }
  void read_some(asio::mutable_buffer into, Client client) override {
    socket_.async_read_some(into, [client = std::move(client)](error_code error, std::size_t size) {
      client->read_done(error, size);
    });
  }
  void write_some(Buffers bytes, Client client) override {
    socket_.async_write_some(bytes, [client = std::move(client)](error_code error, std::size_t n) {
      client->write_done(error, n);
    });
  }
  std::size_t write_now(Buffers bytes) override {
    error_code error;
    const std::size_t size = socket_.write_some(bytes, error);
    return error ? 0 : size;
  }
  void end_output() override {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
  }
  void shut_down(Client client) override { client->shutdown_done(); }
  void close() override { close_socket(socket_); }

 private:
  tcp::socket socket_;
};

class TlsTransport final : public Transport {
 public:
  TlsTransport(tcp::socket socket, asio::ssl::context& context)
      : stream_(std::move(socket), context) {}

  void handshake(Client client) override {
    stream_.async_handshake(
        asio::ssl::stream_base::server,
        [client = std::move(client)](error_code error) { client->handshake_done(error); });
  }
  void read_some(asio::mutable_buffer into, Client client) override {
    stream_.async_read_some(into, [client = std::move(client)](error_code error, std::size_t size) {
      client->read_done(error, size);
    });
  }
  void write_some(Buffers bytes, Client client) override {
    stream_.async_write_some(bytes, [client = std::move(client)](error_code error, std::size_t n) {
      client->write_done(error, n);
    });
  }
  std::size_t write_now(Buffers) override { return 0; }
  void end_output() override {}
  void shut_down(Client client) override {
    stream_.async_shutdown([client = std::move(client)](error_code) { client->shutdown_done(); });
  }
  void close() override { close_socket(stream_.next_layer()); }

 private:
  asio::ssl::stream<tcp::socket> stream_;
};

}  // namespace

std::unique_ptr<Transport> make_plain_transport(tcp::socket socket) {
  return std::make_unique<PlainTransport>(std::move(socket));
}

std::unique_ptr<Transport> make_tls_transport(tcp::socket socket, asio::ssl::context& context) {
  return std::make_unique<TlsTransport>(std::move(socket), context);
}

}  // namespace roost
