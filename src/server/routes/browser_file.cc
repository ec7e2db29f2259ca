#include "server/routes/browser_file.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kTypes = {{
    {".png", "image/png"}, {".jpg", "image/jpeg"}, {".jpeg", "image/jpeg"}, {".gif", "image/gif"},
    {".webp", "image/webp"}, {".bmp", "image/bmp"}, {".svg", "image/svg+xml"}, {".html", "text/html; charset=utf-8"},
    {".htm", "text/html; charset=utf-8"}, {".pdf", "application/pdf"}, {".mp4", "video/mp4"}, {".webm", "video/webm"},
    {".wav", "audio/wav"}, {".mp3", "audio/mpeg"}, {".ogg", "audio/ogg"}, {".avif", "image/avif"},
    {".flac", "audio/flac"}, {".m4a", "audio/mp4"}, {".oga", "audio/ogg"}, {".opus", "audio/ogg"},
}};

std::string_view media_type(const std::string& path) {
  const std::string name = lower(path);
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) return type;
  }
  return "text/plain; charset=utf-8";
}

}  // namespace

std::string file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string attachment(std::string_view name) {
  std::string plain;
  for (const char c : name) plain += (c >= ' ' && c < 0x7f && c != '"' && c != '\\') ? c : '_';
  return fmt::format("attachment; filename=\"{}\"; filename*=UTF-8''{}", plain, percent_encode(name));
}

Status show_in_browser(const Request& request, const std::string& path, Response& response) {
  const auto show = request.query_value("show");
  response.headers["Content-Security-Policy"] =
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src 'self'";
  if (!show) return {};
  if (*show == "inline") {
    response.content_type = media_type(path);
    // The browser's own viewer shows it, which a sandbox keeps from starting; it has no access to this address.
    if (response.content_type == "application/pdf") {
      response.headers["Content-Security-Policy"] = "default-src 'none'; object-src 'self'; plugin-types application/pdf; "
                                                    "style-src 'unsafe-inline'; img-src data:";
    }
    return {};
  }
  if (*show == "download") {
    response.headers["Content-Disposition"] = attachment(file_name(path));
    return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("\"show\" is \"{}\"; it must be inline or download", printable(*show)));
}

}  // namespace roost
