#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "net/http_client.h"

namespace roost {

// Where a server is and what opens it.
struct ServerAddress {
  std::string url;
  std::string token;
  std::string ca_file;  // for a server with a certificate of its own
  // Of the data folder that is meant. If set, whatever another server answers there counts as no answer:
  // it may have got the port, and knows neither our token nor what became of our work.
  std::string data_id{};
};

// The data folder a command means: `given`, else $ROOST_DATA, else $XDG_DATA_HOME/roost, else
// ~/.local/share/roost.
std::string data_folder(const std::string& given = "");

// ROOST_URL and ROOST_TOKEN if set and `data` is empty (a folder named in the call is meant), else
// what the server on this machine wrote into server.json of its data folder. ROOST_TOKEN alone says who
// calls that server: the owner's token is taken only where no other was given. kUnavailable with how to
// start one if there is neither.
Result<ServerAddress> find_server(const std::string& data = "");
// With a `token` the one that the file names is not even looked at.
Result<ServerAddress> read_server_file(const std::string& path, const std::string& token = "");

// Calls the REST API and turns its error bodies back into Error. One connection; not thread-safe.
class ApiClient {
 public:
  explicit ApiClient(ServerAddress address, HttpClient::Options options = {});

  // `path` is below /api/v1 and already encoded, e.g. "/runs/" + percent_encode(id).
  Result<Json> get(const std::string& path);
  Result<Json> post(const std::string& path, const Json& body);
  Result<Json> call(const std::string& method, const std::string& path, const Json* body);
  // Sends raw bytes; the answer is JSON.
  Result<Json> send_bytes(const std::string& method, const std::string& path,
                          std::string_view content_type, std::string_view bytes);
  // As HttpClient::send, with the token and /api/v1 added, and a non-2xx answer as its Error.
  Result<ClientResponse> send(ClientRequest request);
  // Hands over each line of an NDJSON stream as it comes, until it ends or `each` returns false.
  Status stream_lines(const std::string& path, const std::function<bool(std::string_view)>& each);

  // Calls with another token from now on, over the same connection; false, and nothing changes, if `address` is
  // another server.
  bool take_over(const ServerAddress& address);

  void interrupt() { http_.interrupt(); }
  const ServerAddress& address() const { return address_; }

 private:
  ServerAddress address_;
  HttpClient http_;
};

}  // namespace roost
