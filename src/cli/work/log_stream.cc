#include "cli/work/log_stream.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/work/follow.h"
#include "cli/work/pages.h"
#include "cli/work/run_reference.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr std::uint64_t kTailBytes = 4 << 20;

std::string log_path(const LogRequest& request, std::uint64_t offset) {
  std::string path = run_path(request.run, "/logs/" + percent_encode(request.name, true)) +
                     fmt::format("?offset={}", offset);
  if (request.attempt) path += fmt::format("&attempt={}", *request.attempt);
  return path;
}

Result<std::uint64_t> log_size(ApiClient& client, const LogRequest& request) {
  std::uint64_t size = 0;
  ROOST_CHECK(each_item(client, run_path(request.run, "/logs"), [&](const Json& log) {
    if (text_field(log, "name") != request.name) return true;
    if (request.attempt && child(log, "attempt") != *request.attempt) return true;
    if (child(log, "size").is_number_unsigned()) size = child(log, "size").get<std::uint64_t>();
    return true;
  }));
  return size;
}

class LogPrinter {
 public:
  LogPrinter(Console& console, const LogRequest& request) : console_(console), request_(request) {}

  Status print_all() {
    ROOST_TRY(ApiClient * client, console_.client());
    ClientRequest request;
    request.target = log_path(request_, 0);
    Status written;
    request.on_data = [&](std::string_view bytes) {
      written = take(bytes);
      return written.has_value();
    };
    auto response = client->send(std::move(request));
    if (!written) return written;
    if (!response) return fail(std::move(response).error());
    return {};
  }

  // Only as much of the end is fetched as can hold the lines, however long the log is.
  Status print_tail() {
    ROOST_TRY(ApiClient * client, console_.client());
    ROOST_TRY(const std::uint64_t size, log_size(*client, request_));
    offset_ = size > kTailBytes ? size - kTailBytes : 0;
    ClientRequest request;
    request.target = log_path(request_, offset_);
    ROOST_TRY(const ClientResponse response, client->send(std::move(request)));
    const std::size_t start = tail_start(response.body, *request_.tail);
    offset_ += start;
    return take(std::string_view(response.body).substr(start));
  }

  std::uint64_t offset() const { return offset_; }

 private:
  Status take(std::string_view bytes) {
    offset_ += bytes.size();
    if (bytes.empty()) return {};
    if (!console_.json()) return write_all(1, bytes, "standard output");
    const Json piece = {
        {"type", "log"}, {"name", request_.name}, {"offset", offset_}, {"text", to_utf8(bytes)}};
    return write_all(1, to_text(piece) + "\n", "standard output");
  }

  Console& console_;
  const LogRequest& request_;
  std::uint64_t offset_ = 0;
};

}  // namespace

std::size_t tail_start(std::string_view text, std::size_t lines) {
  std::size_t end = text.size();
  if (end > 0 && text[end - 1] == '\n') --end;
  if (lines == 0) return text.size();
  for (; lines > 0; --lines) {
    const std::size_t newline = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    if (newline == std::string_view::npos) return 0;
    if (lines == 1) return newline + 1;
    end = newline;
  }
  return 0;
}

Result<int> print_log(Console& console, const LogRequest& request) {
  LogPrinter printer(console, request);
  if (request.tail) ROOST_CHECK(printer.print_tail());
  if (request.follow) {
    InterruptWatch watch;
    const std::string id = text_field(request.run, "id");
    return follow_log(console, id, request.name, printer.offset(), watch);
  }
  if (!request.tail) ROOST_CHECK(printer.print_all());
  return 0;
}

}  // namespace roost
