#include "client/api_client.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace roost {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

HttpClient::Options with_ca(HttpClient::Options options, const ServerAddress& address) {
  if (options.ca_file.empty()) options.ca_file = address.ca_file;
  return options;
}

// The Error an answer outside 2xx stands for. Something between us and the server (a proxy) may
// answer without our error body, so its status and first bytes have to do.
Error error_of(const ClientResponse& response, const std::string& url) {
  if (const auto body = parse_json(response.body, "the answer"); body && body->is_object()) {
    const auto error = body->find("error");
    if (error != body->end() && error->is_object()) {
      const auto code = error->find("code");
      const auto message = error->find("message");
      if (code != error->end() && code->is_string() && message != error->end() &&
          message->is_string()) {
        return {error_code_from_name(code->get<std::string>()), message->get<std::string>()};
      }
    }
  }
  return {error_code_from_http_status(response.status),
          fmt::format("{} answered with status {}: {}", url, response.status,
                      printable(response.body, 200))};
}

Status check_identity(const ClientResponse& response, const ServerAddress& address) {
  if (address.data_id.empty()) return {};
  const auto id = response.headers.find("roost-data");
  if (id != response.headers.end() && id->second == address.data_id) return {};
  return fail(ErrorCode::kUnavailable,
              fmt::format("{} is answered by something else than the server of this data folder (status {})",
                          address.url, response.status));
}

}  // namespace

std::string data_folder(const std::string& given) {
  if (!given.empty()) return given;
  if (const std::string data = environment("ROOST_DATA"); !data.empty()) return data;
  if (const std::string data = environment("XDG_DATA_HOME"); !data.empty()) return data + "/roost";
  const std::string home = environment("HOME");
  return (home.empty() ? "/tmp" : home) + "/.local/share/roost";
}

Result<ServerAddress> read_server_file(const std::string& path, const std::string& token) {
  ROOST_TRY(const std::string text, read_file(path));
  ROOST_TRY(const Json document, parse_json(text, path));
  const auto field = [&](const char* name) {
    const auto it = document.find(name);
    return it != document.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  if (!document.is_object() || field("url").empty()) {
    return fail(ErrorCode::kUnavailable,
                fmt::format("{} names no server; remove it and start one with `roost up`", path));
  }
  ServerAddress address{field("url"), token, field("ca_file"), field("data_id")};
  if (const std::string token_file = field("token_file"); token.empty() && !token_file.empty()) {
    // A relative name is relative to the file that holds it, so that a data folder can be moved.
    const auto full = std::filesystem::path(path).parent_path() / token_file;
    ROOST_TRY(const std::string text_of_file, read_file(full));
    address.token = trim(text_of_file);
  }
  return address;
}

Result<ServerAddress> find_server(const std::string& data) {
  const std::string url = environment("ROOST_URL");
  const std::string token = environment("ROOST_TOKEN");
  const std::string folder = data_folder(data);
  const std::string path = folder + "/server.json";
  if (data.empty() && !url.empty()) {
    ServerAddress named{url, token, environment("ROOST_CA_FILE"), ""};
    if (!token.empty()) return named;
    // The server of this machine, named by its address: its token is at hand.
    if (const auto local = read_server_file(path); local && local->url == url) {
      named.token = local->token;
      if (named.ca_file.empty()) named.ca_file = local->ca_file;
    }
    return named;
  }
  // A token beside an address belongs to that address, not to a folder.
  auto address = read_server_file(path, url.empty() ? token : "");
  if (!address && address.error().code == ErrorCode::kNotFound) {
    return fail(
        ErrorCode::kUnavailable,
        fmt::format("no server runs on the data folder {}; start one with `roost up`, or name "
                    "one with --server or ROOST_URL",
                    folder));
  }
  return address;
}

ApiClient::ApiClient(ServerAddress address, HttpClient::Options options)
    : address_(std::move(address)), http_(address_.url, with_ca(std::move(options), address_)) {}

Result<ClientResponse> ApiClient::send(ClientRequest request) {
  request.target = "/api/v1" + request.target;
  if (!address_.token.empty()) request.headers["Authorization"] = "Bearer " + address_.token;
  ROOST_TRY(ClientResponse response, http_.send(request));
  ROOST_CHECK(check_identity(response, address_));
  if (response.status < 200 || response.status > 299) return fail(error_of(response, address_.url));
  return response;
}

Result<Json> ApiClient::send_bytes(const std::string& method, const std::string& path,
                                   std::string_view content_type, std::string_view bytes) {
  ClientRequest request;
  request.method = method;
  request.target = path;
  request.body = bytes;
  request.headers["Accept"] = "application/json";
  if (!content_type.empty()) request.headers["Content-Type"] = content_type;
  ROOST_TRY(const ClientResponse response, send(std::move(request)));
  if (response.body.empty()) return Json(nullptr);
  return parse_json(response.body, fmt::format("the answer of {}", address_.url));
}

Result<Json> ApiClient::call(const std::string& method, const std::string& path, const Json* body) {
  if (!body) return send_bytes(method, path, "", "");
  return send_bytes(method, path, "application/json", to_text(*body));
}

bool ApiClient::take_over(const ServerAddress& address) {
  const bool is_same = address.url == address_.url && address.ca_file == address_.ca_file && address.data_id == address_.data_id;
  if (is_same) address_.token = address.token;
  return is_same;
}

Result<Json> ApiClient::get(const std::string& path) { return call("GET", path, nullptr); }

Result<Json> ApiClient::post(const std::string& path, const Json& body) {
  return call("POST", path, &body);
}

Status ApiClient::stream_lines(const std::string& path,
                               const std::function<bool(std::string_view)>& each) {
  std::string pending;
  bool wanted = true;
  ClientRequest request;
  request.target = path;
  request.headers["Accept"] = "application/x-ndjson";
  request.on_data = [&](std::string_view bytes) {
    // The rest of a line begun by an earlier piece is the only one that has to be copied.
    for (std::size_t end; wanted && (end = bytes.find('\n')) != std::string_view::npos;) {
      std::string_view line = bytes.substr(0, end);
      bytes.remove_prefix(end + 1);
      if (pending.empty()) {
        wanted = line.empty() || each(line);
      } else {
        pending += line;
        wanted = each(pending);
        pending.clear();
      }
    }
    pending += bytes;
    return wanted;
  };
  ROOST_TRY([[maybe_unused]] const ClientResponse response, send(std::move(request)));
  if (wanted && !pending.empty()) each(pending);
  return {};
}

}  // namespace roost
