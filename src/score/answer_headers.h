#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"

namespace roost {

// By what a request is known: to the caller, to Roost, in the logs.
struct RequestIds {
  std::string request;  // x-request-id, made if the caller gave none
  std::string client;   // x-ms-client-request-id, or ""
  std::string legacy;   // x-ms-request-id: the caller's, else the client's id, else the request's
  std::string trace;    // TraceId, or ""
};

// kResourceExhausted, to be answered 431, if one is longer than 100 characters.
Result<RequestIds> read_ids(const Request& request);

// Which origins may read answers in a browser: of AML_CORS_ORIGINS, a comma list or "*".
class CorsRule {
 public:
  explicit CorsRule(std::string_view origins);
  void apply(const Request& request, Response& response) const;

 private:
  bool any_ = false;
  std::vector<std::string> origins_;
};

// What every answer has, whatever the script said: the ids, the server's version. Names that differ only in case are one.
void set_header(Response& response, std::string_view name, std::string value);
void add_header(Response& response, std::string_view name, std::string_view value);  // further values follow a comma
void set_id_headers(Response& response, const RequestIds& ids);

// Not for a script to set: they belong to the connection, or to Roost.
bool is_reserved_header(std::string_view lower_name);

// {"message": ...}
Response message_response(int status, std::string_view message);

}  // namespace roost
