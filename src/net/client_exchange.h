#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "net/client_socket.h"
#include "net/http_client.h"
#include "net/response_parser.h"
#include "net/url.h"

namespace roost {

// One request of a client and its answer, over a connection that lives on if reusable() afterwards.
class ClientExchange {
 public:
  ClientExchange(const ClientRequest& request, const Url& url,
                 std::chrono::milliseconds idle_timeout, ClientSocket& socket,
                 Interrupt& interrupt);

  Result<ClientResponse> run();

  bool reusable() const;
  bool answer_begun() const { return begun_; }

 private:
  Status send_request();
  std::string head() const;
  Status send_bytes(std::string_view bytes);
  Status send_from_source();
  Status receive_answer();
  // Reads what is there. Returns what to wait for (POLLIN, POLLOUT), 0 if there was something or
  // input_ended_.
  Result<short> receive_some();
  Status parse(std::string_view bytes);
  bool take_body(std::string_view piece);
  Status wait(short events, short* came = nullptr);
  Status check_interrupt();

  // No point in sending on: an answer came, or the connection broke.
  bool sending_is_over() const { return head_came_ || !broke_.empty(); }
  bool answer_is_over() const { return head_came_ && (parser_->done() || parser_->stopped()); }
  std::string place() const;

  const ClientRequest& request_;
  const Url& url_;
  const std::chrono::milliseconds idle_timeout_;
  ClientSocket& socket_;
  Interrupt& interrupt_;

  std::optional<ResponseParser> parser_;
  std::function<bool(std::string_view)> body_sink_;
  ClientResponse response_;
  std::string unparsed_;  // the beginning of something whose rest has not come
  std::array<char, 64 * 1024> buffer_;
  bool sent_all_ = false;
  bool begun_ = false;      // a byte of the answer came
  bool head_came_ = false;  // of the final answer, not one like "100 Continue"
  bool input_ended_ = false;
  std::string broke_;  // why the connection is of no more use
};

}  // namespace roost
