#include <unordered_map>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "server/embedded_studio.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

// Nothing inline and nothing from elsewhere: what a user managed to put into a name or a log stays text.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; media-src 'self'; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

constexpr std::string_view kWithoutStudio =
    "<!doctype html><title>Roost</title><p>Roost runs, but this program was built without the studio: npm was "
    "missing. Build it again with 'make build', which installs what it needs.\n";

std::string_view media_type(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  if (name.ends_with(".woff2")) return "font/woff2";
  return "application/octet-stream";
}

const std::unordered_map<std::string_view, std::string_view>& files() {
  static const std::unordered_map<std::string_view, std::string_view> all(embedded_studio().begin(),
                                                                          embedded_studio().end());
  return all;
}

struct Encoded {
  std::string_view bytes;
  const char* encoding;  // null: as it is
};

// The smallest form that the browser takes.
Encoded encoded(const Request& request, const std::string& name, std::string_view plain) {
  const std::string accepted = request.header("accept-encoding");
  for (const auto& [encoding, ending] : {std::pair("br", ".br"), std::pair("gzip", ".gz")}) {
    if (accepted.find(encoding) == std::string::npos) continue;
    if (const auto found = files().find(name + ending); found != files().end()) return {found->second, encoding};
  }
  return {plain, nullptr};
}

Response send(const Request& request, const std::string& name, bool immutable) {
  Response response;
  const auto plain = files().find(name);
  if (plain == files().end()) {
    response.status = 404;
    response.content_type = "text/plain; charset=utf-8";
    response.body = "there is no such file; reload the page\n";
    return response;
  }
  response.content_type = media_type(name);
  response.headers["X-Content-Type-Options"] = "nosniff";
  response.headers["Vary"] = "Accept-Encoding";
  // The names of assets change with their content; the page that names them is asked for anew each time.
  response.headers["Cache-Control"] = immutable ? "public, max-age=31536000, immutable" : "no-cache";
  const Encoded form = encoded(request, name, plain->second);
  if (form.encoding != nullptr) response.headers["Content-Encoding"] = form.encoding;
  response.body = form.bytes;
  return response;
}

Response page(const Request& request) {
  Response response;
  if (files().empty()) {
    response.content_type = "text/html; charset=utf-8";
    response.body = kWithoutStudio;
    return response;
  }
  static const std::string tag = "\"" + sha256_hex(files().at("index.html")).substr(0, 16) + "\"";
  response = send(request, "index.html", false);
  response.headers["Content-Security-Policy"] = kPolicy;
  response.headers["Referrer-Policy"] = "no-referrer";
  response.headers["X-Frame-Options"] = "DENY";
  response.headers["ETag"] = tag;
  if (request.header("if-none-match") == tag) {
    response.status = 304;
    response.body.clear();
    response.headers.erase("Content-Encoding");
  }
  return response;
}

// Who typed an address that nothing has sees a page that says so; a program reads it as JSON.
Response nothing_here(Request& request) {
  if (request.header("accept").find("text/html") == std::string::npos) {
    Response response;
    response.status = 404;
    response.content_type = "application/json";
    response.body = error_body({ErrorCode::kNotFound, fmt::format("there is nothing at '{}'; check the path against the API",
                                                                  printable(request.path, 200))});
    return response;
  }
  Response response = page(request);
  if (response.status == 200) response.status = 404;
  return response;
}

}  // namespace

void add_studio_routes(Router& router) {
  // The addresses of studio/src/app.tsx. One page answers them all and shows what the address says.
  for (const char* pattern : {"/", "/login", "/runs/{run}", "/runs/{run}/{rest...}", "/sweeps/{run}", "/w/{rest...}"}) {
    router.add({"GET", pattern, "studio_page", {}, page});
  }
  router.add({"GET", "/{path...}", "studio_page", {}, nothing_here});
  router.add({"GET", "/assets/{file}", "studio_asset", {}, [](Request& request) {
                return send(request, "assets/" + request.parameters["file"], true);
              }});
}

}  // namespace roost
