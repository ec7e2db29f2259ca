#include "cli/work/environment_build.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "cli/show/run_text.h"
#include "domain/environment_plan.h"
#include "domain/names.h"

namespace roost {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(100);

class BuildFollower {
 public:
  BuildFollower(ApiClient& client, const Style& style, InterruptWatch& watch)
      : client_(client), style_(style), watch_(watch) {}

  Result<Json> follow(Json build) {
    const std::string path = "/environment-builds/" + text_field(build, "digest");
    while (is_under_way(build)) {
      if (!pause()) return fail(ErrorCode::kUnavailable, "left alone; the build goes on");
      // The state first: the log that is fetched after the end is the whole of it.
      ROOST_TRY(build, client_.get(path));
      if (text_field(build, "status") != "queued") ROOST_CHECK(print_more(path, build));
    }
    if (text_field(build, "status") == "failed") {
      return fail(ErrorCode::kFailedPrecondition, text_field(build, "message"));
    }
    return build;
  }

 private:
  static bool is_under_way(const Json& build) {
    const std::string status = text_field(build, "status");
    return status == "queued" || status == "building";
  }

  // False on an interrupt.
  bool pause() {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, watch_.token(), kBetweenLooks, [] { return false; });
    return !watch_.token().stop_requested();
  }

  Status print_more(const std::string& path, const Json& build) {
    ClientRequest request;
    request.target = fmt::format("{}/log?offset={}", path, offset_);
    ROOST_TRY(const ClientResponse response, client_.send(std::move(request)));
    offset_ += response.body.size();
    held_ += response.body;
    std::string_view text = held_;
    // The log of a failed build ends with the line that matters, which is said as our error. It may be there before the
    // build is known to have failed, so the last line is held back until more comes.
    const std::string end = "\n" + text_field(build, "message") + "\n";
    if (text_field(build, "status") == "failed" && text.ends_with(end)) {
      text.remove_suffix(end.size());
      held_.resize(text.size());
    } else if (is_under_way(build)) {
      const auto line = text.size() < 2 ? std::string_view::npos : text.rfind('\n', text.size() - 2);
      text = text.substr(0, line == std::string_view::npos ? 0 : line);
    }
    if (text.empty()) return {};
    const Status written = write_all(2, style_(Tone::kDim, text), "standard error");
    held_.erase(0, text.size());
    return written;
  }

  ApiClient& client_;
  const Style style_;
  InterruptWatch& watch_;
  std::uint64_t offset_ = 0;
  std::string held_;  // fetched and not yet written
};

}  // namespace

Result<Json> register_definition(Console& console, const Json& definition, const std::string& name) {
  ROOST_CHECK(plan_environment(definition, Pins::kNearest));
  constexpr std::size_t kDigits = 12;
  const std::string called = name.empty() ? "anonymous-" + sha256_hex(to_text(definition)).substr(0, kDigits) : name;
  ROOST_CHECK(check_registry_name(called, "an environment"));
  ROOST_TRY(ApiClient * client, console.client());
  return client->post(console.in_workspace("/environments"), {{"name", called}, {"definition", definition}});
}

Result<Json> build_and_follow(Console& console, const EnvironmentReference& reference,
                              const std::string& pins, InterruptWatch& watch) {
  ROOST_TRY(ApiClient * client, console.client());
  const Json body = pins.empty() ? Json::object() : Json{{"pins", pins}};
  ROOST_TRY(Json build, client->post(environment_path(console, reference, "/build"), body));
  return BuildFollower(*client, console.err(), watch).follow(std::move(build));
}

}  // namespace roost
