#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"

namespace roost {

struct Route {
  std::string method;
  std::string pattern;    // "/api/v1/runs/{run}/logs/{name...}"; {x...} takes the rest, slashes too
  std::string operation;  // the OpenAPI operationId
  BodyRule body;
  Handler handler;
  // Called on a worker once the head is there, before a large body is read; an answer is given instead of reading it.
  // None: the handler decides alone.
  std::function<std::optional<Response>(Request&)> check_head = {};
  // Instead of `handler`. check_head is then called on the connection's thread as well, for every request whatever its
  // body, and must not block.
  LaterHandler later = {};
  // Asked on the connection's thread once the body is there. If it says so the handler is called right there, which saves
  // two hand-overs between threads; other connections wait meanwhile. None: never.
  std::function<bool(const Request&)> is_quick = {};
  std::size_t lane = 0;   // of HttpServerOptions::lanes
  std::string need = {};  // who may call it, for those who list routes
};

// Finds the route for a request. Filled before the server starts, then only read. Where several
// patterns fit, a literal part beats a {parameter} and that beats {the rest...}. A parameter is
// never empty. HEAD finds the GET route unless it has one of its own. "/{x...}" of GET alone makes no 405 of a 404.
class Router {
 public:
  // Two routes of the same method and shape are a broken invariant.
  void add(Route route);

  struct Match {
    const Route* route = nullptr;
    std::map<std::string, std::string> parameters;
    // When no route has this method but others have the path: their methods, for a 405.
    std::vector<std::string> allowed;
  };
  // `raw_path` is still percent-encoded, so that an encoded slash stays inside its part.
  Match find(std::string_view method, std::string_view raw_path) const;
  const std::vector<Route>& routes() const { return routes_; }

  // One part between slashes of a pattern.
  struct Part {
    enum Kind { kLiteral, kParameter, kRest } kind;
    std::string text;  // the literal, or the parameter's name
  };

 private:
  std::vector<Route> routes_;
  std::vector<std::vector<Part>> patterns_;  // of the route at the same place
};

// Percent-decoding; false if malformed. '+' stays a plus unless `plus_is_space`.
bool percent_decode(std::string_view text, std::string& out, bool plus_is_space = false);
std::string percent_encode(std::string_view text, bool keep_slash = false);

}  // namespace roost
