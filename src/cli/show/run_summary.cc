#include "cli/show/run_summary.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/rank_choice.h"
#include "cli/show/run_text.h"
#include "cli/show/text_width.h"
#include "cli/show/times.h"

namespace roost {
namespace {

std::string pointer(const char* what, const std::string& command, const std::string& count,
                    const Style& style) {
  return fmt::format("  {}  {}{}\n", style(Tone::kDim, pad_text(what, 7)), command,
                     count.empty() ? "" : "  " + style(Tone::kDim, "# " + count));
}

std::string plural(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::uint64_t total_size(const Json& artifacts) {
  std::uint64_t size = 0;
  for (const Json& artifact : artifacts) {
    if (const Json& bytes = child(artifact, "size"); bytes.is_number_unsigned()) {
      size += bytes.get<std::uint64_t>();
    }
  }
  return size;
}

}  // namespace

std::string summary_text(const Json& run, const Json& metrics, const Json& artifacts, Micros now,
                         const Style& style) {
  const std::string id = text_field(run, "id");
  std::string out = style(status_tone(text_field(run, "status")), run_outcome(run, now)) + "  " +
                    style(Tone::kDim, id) + "\n";
  if (const std::string why = text_field(child(run, "error"), "message"); !why.empty()) {
    for (const std::string& line : split(trim(why), '\n')) out += "  " + one_line(line) + "\n";
  }
  for (const Json& notice : child(run, "notices")) {
    out += style(Tone::kYellow, "  note: " + one_line(value_text(notice))) + "\n";
  }
  std::string logs = "roost logs " + id;
  if (const std::string rank = text_field(child(run, "error"), "rank"); !rank.empty()) {
    logs += " --rank " + rank;
  } else if (rank_count(run) > 1) {
    logs += " --all";
  }
  out += pointer("logs", logs, "", style);
  if (metrics.is_array() && !metrics.empty()) {
    out += pointer("metrics", "roost metrics " + id, plural(metrics.size(), "metric"), style);
  }
  if (artifacts.is_array() && !artifacts.empty()) {
    out += pointer("outputs", fmt::format("roost artifacts get {} --all", id),
                   plural(artifacts.size(), "file") + ", " + human_bytes(total_size(artifacts)),
                   style);
  }
  return out + pointer("details", "roost show " + id, "", style);
}

}  // namespace roost
