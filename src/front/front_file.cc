#include "front/front_file.h"

#include <unistd.h>

#include <limits>

#include "base/files.h"
#include "base/text.h"

namespace roost {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t own_start_time() {
  const std::string text = read_file("/proc/self/stat").value_or("");
  // The name in parentheses may hold blanks and parentheses itself.
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) return 0;
  const auto fields = split(std::string_view(text).substr(name_end + 2), ' ');
  return fields.size() < 20 ? 0 : std::stoll(fields[19]);
}

}  // namespace

std::filesystem::path front_file_path(const std::filesystem::path& data) { return data / "serving" / "front.json"; }

Result<FrontFile> read_front_file(const std::filesystem::path& data) {
  const auto path = front_file_path(data);
  ROOST_TRY(const std::string text, read_file(path));
  ROOST_TRY(const Json document, parse_json(text, path.string()));
  FrontFile file;
  JsonFields fields(document, path.string());
  file.pid = fields.integer("pid", 0, 0, kMost);
  file.start_time = fields.integer("start_time", 0, 0, kMost);
  file.address = fields.string("address");
  file.port = static_cast<std::uint16_t>(fields.integer("port", 0, 0, 65'535));
  file.key = fields.string("key");
  file.is_tls = fields.boolean("tls", false);
  ROOST_CHECK(fields.done_so_far());
  return file;
}

Status write_front_file(const std::filesystem::path& data, FrontFile file) {
  const Json document = {{"pid", ::getpid()},         {"start_time", own_start_time()}, {"address", file.address},
                         {"port", file.port},         {"key", file.key},                {"tls", file.is_tls}};
  return write_file_atomic(front_file_path(data), to_text(document) + "\n", 0600);
}

}  // namespace roost
