#include "net/http_client.h"

#include <utility>

#include "base/text.h"
#include "net/client_exchange.h"
#include "net/client_socket.h"
#include "net/interrupt.h"
#include "net/url.h"

namespace roost {
namespace {

bool is_idempotent(const std::string& method) {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" ||
         method == "OPTIONS";
}

Status check_request(const ClientRequest& request) {
  const auto breaks_lines = [](std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
  };
  bool bad = breaks_lines(request.method) || breaks_lines(request.target) ||
             request.target.find(' ') != std::string::npos;
  for (const auto& [name, value] : request.headers) {
    bad = bad || breaks_lines(name) || breaks_lines(value);
  }
  if (!bad) return {};
  return fail(ErrorCode::kInvalidArgument,
              "cannot request '" + printable(request.target, 200) +
                  "': it or a header has a space or line break that must be percent-encoded");
}

std::string advice(const std::string& reason) {
  if (reason.find("certificate") != std::string::npos) {
    return "give the server's certificate as the CA file to trust";
  }
  if (reason.starts_with("TLS failed")) {
    return "if the server does not use TLS, its address starts with http://";
  }
  return "is the server running? start it with 'roost up'";
}

}  // namespace

class HttpClient::Connection {
 public:
  Connection(std::string url, Options options)
      : url_text_(std::move(url)), options_(std::move(options)), url_(parse_url(url_text_)) {}

  Result<ClientResponse> send(const ClientRequest& request) {
    if (!url_) return fail(url_.error());
    ROOST_CHECK(check_request(request));
    interrupt_.reset();
    drop_if_stale();
    bool try_again = socket_ && is_idempotent(request.method) && !request.body_source;
    for (;;) {
      if (!socket_) ROOST_CHECK(connect());
      ClientExchange exchange(request, *url_, options_.idle_timeout, *socket_, interrupt_);
      auto response = exchange.run();
      if (!response || !exchange.reusable()) socket_.reset();
      if (response || exchange.answer_begun() || interrupt_.taken() ||
          response.error().code != ErrorCode::kUnavailable || !std::exchange(try_again, false)) {
        return response;
      }
    }
  }

  const std::string& url() const { return url_text_; }
  void interrupt() { interrupt_.raise(); }

 private:
  // The server may have closed the connection since the last answer.
  void drop_if_stale() {
    if (!socket_ || !socket_->readable()) return;
    // Over TLS there may be something to read that is no answer.
    char byte = 0;
    if (socket_->read(&byte, 1).wants == 0) socket_.reset();
  }

  Status connect() {
    if (url_->tls && !tls_) {
      ROOST_TRY(tls_, make_client_tls(options_.ca_file));
    }
    auto socket = ClientSocket::connect(*url_, tls_.get(), options_.connect_timeout, interrupt_);
    if (socket) {
      socket_ = std::move(*socket);
      return {};
    }
    std::string reason = std::move(socket).error().message;
    if (interrupt_.taken()) {
      return fail(ErrorCode::kUnavailable, "the request to " + url_text_ + " was interrupted");
    }
    if (socket.error().code == ErrorCode::kDeadlineExceeded) {
      const auto seconds = std::chrono::duration<double>(options_.connect_timeout).count();
      reason = "no answer within " + human_duration(seconds);
    }
    return fail(ErrorCode::kUnavailable,
                "cannot reach " + url_text_ + ": " + reason + "; " + advice(reason));
  }

  const std::string url_text_;
  const Options options_;
  const Result<Url> url_;
  TlsContext tls_;
  Interrupt interrupt_;
  std::unique_ptr<ClientSocket> socket_;
};

HttpClient::HttpClient(std::string url, Options options)
    : connection_(std::make_unique<Connection>(std::move(url), std::move(options))) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

Result<ClientResponse> HttpClient::send(const ClientRequest& request) {
  return connection_->send(request);
}
const std::string& HttpClient::url() const { return connection_->url(); }
void HttpClient::interrupt() { connection_->interrupt(); }

}  // namespace roost
