#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/json.h"
#include "domain/endpoint.h"
#include "net/http_client.h"
#include "server/front_process.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

constexpr std::uint64_t kSmallBody = 64 * 1024;  // asking first would take longer
constexpr const char* kCheckHeader = "x-roost-check";
constexpr int kMostAtOnce = 256;  // each has a thread; the front itself has no such limit
constexpr std::size_t kMostKept = 64;
// The front answers at its own deadlines; this is for one that hangs.
constexpr std::chrono::minutes kPatience{60};

Response refuse(int status, const std::string& text) {
  Response response;
  response.status = status;
  response.body = to_text({{"error", text}, {"message", text}});
  response.is_expected = true;
  if (status == 503) response.headers["Retry-After"] = "1";
  return response;
}

bool is_of_the_connection(const std::string& name) {
  return name == "connection" || name == "keep-alive" || name == "transfer-encoding" || name == "te" || name == "trailer" ||
         name == "upgrade" || name == "content-length" || name == "expect" || name == "proxy-connection";
}

// Passes what comes to the server's own address for endpoints on to the front, which knows who may call what. It is asked
// before a large body is read; the body is passed on as it comes.
class EndpointProxy {
 public:
  explicit EndpointProxy(App& app) : app_(app) {}

  Response pass_on(Request& request) {
    const auto place = Place(at_once_);
    if (place.number > kMostAtOnce) {
      return refuse(503, "too many requests for endpoints come by the server's own address; the scoring_uri has no such limit");
    }
    const std::string url = app_.front ? app_.front->url() : "";
    if (url.empty()) return refuse(503, "nothing serves endpoints now; the first `roost deploy` starts it");
    ClientRequest call;
    std::string whole;
    std::string unread;  // why the request's own body could not be
    describe(request, call);
    auto client = take(url);
    if (auto declined = ask(request, call, *client)) return *std::move(declined);
    if (auto failed = add_body(request, call, whole, unread)) return *std::move(failed);
    auto answer = client->send(call);
    if (answer) {
      give_back(std::move(client));
      return answer_of(*std::move(answer), request);
    }
    if (!unread.empty()) return refuse(400, unread);
    if (answer.error().code == ErrorCode::kDeadlineExceeded) return refuse(504, "no answer from what serves endpoints");
    return refuse(503, "what serves endpoints cannot be reached, or ended while it worked on this request; it is started "
                       "again: try again in a moment");
  }

 private:
  struct Place {
    explicit Place(std::atomic<int>& count) : counter(count), number(++count) {}
    ~Place() { --counter; }
    std::atomic<int>& counter;
    const int number;
  };

  static void describe(const Request& request, ClientRequest& call) {
    call.method = request.method;
    call.target = request.target;
    for (const auto& [name, value] : request.headers) {
      if (!is_of_the_connection(name) && name != "host" && name != kCheckHeader) call.headers[name] = value;
    }
  }

  // The front's answer if it is not to have the body. What it cannot be asked now shows when the request is sent.
  static std::optional<Response> ask(Request& request, ClientRequest call, HttpClient& client) {
    const std::string length = request.header("content-length");
    if (length.empty() && request.header("transfer-encoding").empty()) return std::nullopt;
    if (!length.empty() && std::strtoull(length.c_str(), nullptr, 10) <= kSmallBody) return std::nullopt;
    call.headers[kCheckHeader] = length.empty() ? "0" : length;
    auto answer = client.send(call);
    if (!answer || answer->status == 204) return std::nullopt;
    return answer_of(*std::move(answer), request);
  }

  static std::optional<Response> add_body(Request& request, ClientRequest& call, std::string& whole, std::string& unread) {
    const std::string length = request.header("content-length");
    if (!length.empty()) {
      call.body_length = std::strtoull(length.c_str(), nullptr, 10);
      if (call.body_length == 0) return std::nullopt;
      call.body_source = [&request, &unread]() {
        auto piece = request.body_stream->read();
        if (!piece) unread = piece.error().message;
        return piece;
      };
      return std::nullopt;
    }
    if (request.header("transfer-encoding").empty()) return std::nullopt;
    // How long it is has to be said before.
    for (;;) {
      auto piece = request.body_stream->read();
      if (!piece) return refuse(400, piece.error().message);
      if (piece->empty()) break;
      whole += *piece;
    }
    call.body = whole;
    return std::nullopt;
  }

  static Response answer_of(ClientResponse answer, Request& request) {
    Response response;
    response.status = answer.status;
    response.is_expected = true;
    response.content_type = "";
    for (auto& [name, value] : answer.headers) {
      if (name == "content-type") {
        response.content_type = std::move(value);
      } else if (name == "x-request-id") {
        request.id = value;
      } else if (!is_of_the_connection(name) && name != "date" && name != "set-cookie") {
        response.headers.emplace(name, std::move(value));
      }
    }
    // Pages of this address are the studio's. What a deployment's code answers is none of them, whatever it claims to be.
    response.headers["Content-Security-Policy"] = "sandbox";
    response.headers["X-Content-Type-Options"] = "nosniff";
    response.body = std::move(answer.body);
    return response;
  }

  std::unique_ptr<HttpClient> take(const std::string& url) {
    {
      const std::lock_guard lock(mutex_);
      while (!kept_.empty()) {
        auto client = std::move(kept_.back());
        kept_.pop_back();
        if (client->url() == url) return client;
      }
    }
    HttpClient::Options options;
    options.connect_timeout = std::chrono::seconds(2);
    options.idle_timeout = kPatience;
    options.ca_file = app_.config.tls_certificate;
    return std::make_unique<HttpClient>(url, std::move(options));
  }

  void give_back(std::unique_ptr<HttpClient> client) {
    const std::lock_guard lock(mutex_);
    if (kept_.size() < kMostKept) kept_.push_back(std::move(client));
  }

  App& app_;
  std::atomic<int> at_once_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<HttpClient>> kept_;
};

}  // namespace

void add_endpoint_proxy_routes(Router& router, App& app) {
  auto proxy = std::make_shared<EndpointProxy>(app);
  for (const char* method : {"GET", "HEAD", "POST", "OPTIONS"}) {
    Route route{method, "/endpoints/{rest...}", kCallEndpoint, {static_cast<std::uint64_t>(kMostBody), true}, {}};
    route.handler = [proxy](Request& request) { return proxy->pass_on(request); };
    route.need = need_name(Need::kNobody);
    router.add(std::move(route));
  }
}

}  // namespace roost
