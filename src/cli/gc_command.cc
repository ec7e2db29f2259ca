#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/run_text.h"
#include "cli/times.h"

namespace roost {
namespace {

Result<int> collect(Console& console, const std::string& grace) {
  Json body = Json::object();
  if (!grace.empty()) {
    ROOST_TRY(const std::int64_t seconds, parse_duration(grace, "--grace"));
    body["grace_seconds"] = seconds;
  }
  ROOST_TRY(ApiClient * client, console.client());
  ROOST_TRY(const Json answer, client->post("/blobs/collect", body));
  if (console.json()) return Console::print_json(answer);
  const Json& bytes = child(answer, "bytes");
  return Console::print(
      fmt::format("removed {} blobs ({}), kept {}\n", text_field(answer, "removed"),
                  human_bytes(bytes.is_number_unsigned() ? bytes.get<std::uint64_t>() : 0),
                  text_field(answer, "kept")));
}

}  // namespace

void register_gc(Verb& root, Console& console) {
  auto grace = std::make_shared<std::string>();
  root.verb("gc", "Remove stored files that no snapshot or run needs")
      .group(kServerGroup)
      .option("--grace", *grace, "TIME",
              "keep what was stored within this time, as uploads may be under way")
      .action([&console, grace] { return collect(console, *grace); });
}

}  // namespace roost
