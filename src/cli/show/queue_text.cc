#include "cli/show/queue_text.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/table.h"
#include "cli/show/text_width.h"
#include "cli/show/times.h"

namespace roost {
namespace {

bool has_nodes(const Json& item) { return !child(item, "node_names").empty(); }

std::string since_text(const Json& item, Micros now) {
  const auto since = time_field(item, has_nodes(item) ? "started_at" : "waiting_since");
  return since ? rough_duration(now - *since) : "";
}

std::string end_text(const Json& item, Micros now) {
  const auto end = time_field(item, "estimated_end_at");
  return end ? fmt::format("likely ends {}", time_until(*end, now)) : "";
}

std::string why_text(const Json& item, Micros now) {
  if (!has_nodes(item)) return text_field(item, "reason");
  std::string text = text_field(item, "reason");
  if (text.empty()) text = end_text(item, now);
  std::string nodes;
  for (const Json& node : child(item, "node_names")) {
    nodes += (nodes.empty() ? "on " : ", ") + value_text(node);
  }
  return text.empty() ? nodes : fmt::format("{}; {}", text, nodes);
}

bool differs(const Json& items, const char* field) {
  std::set<std::string> values;
  for (const Json& item : items) values.insert(text_field(item, field));
  return values.size() > 1;
}

TextTable table_of(const Json& items, Micros now, bool with_reason) {
  const bool computes = differs(items, "compute");
  const bool users = differs(items, "user");
  const bool nodes = differs(items, "nodes");
  const bool priorities = differs(items, "priority");
  const auto when = [&](bool shown, const Json& item, const char* field) {
    return shown ? text_field(item, field) : "";
  };
  TextTable table({{"#", true},
                   {"RUN", false, false, true},
                   {"STATUS"},
                   {"COMPUTE", false, true},
                   {"USER", false, true},
                   {"NODES", true},
                   {"PRIO", true},
                   {"FOR", true},
                   {"STARTS", true},
                   {"WHY", false, true}});
  for (const Json& item : items) {
    const std::string status = text_field(item, "status");
    const std::string start = start_text(item, now);
    table.add({{text_field(item, "position"), Tone::kDim},
               text_field(item, "run"),
               {status, status_tone(status)},
               when(computes, item, "compute"),
               when(users, item, "user"),
               when(nodes, item, "nodes"),
               when(priorities, item, "priority"),
               since_text(item, now),
               start.empty() && !has_nodes(item) ? TextTable::Cell("?", Tone::kDim) : TextTable::Cell(start),
               with_reason ? why_text(item, now) : ""});
  }
  return table;
}

}  // namespace

std::string start_text(const Json& item, Micros now) {
  const auto start = time_field(item, "estimated_start_at");
  if (!start) return "";
  const bool at_the_latest = text_field(item, "estimate_basis").find("time limit") != std::string::npos;
  if (at_the_latest && *start - now >= kSecond) return fmt::format("within {}", rough_duration(*start - now));
  return time_until(*start, now);
}

std::string wait_text(const Json& item, Micros now) {
  std::string text = text_field(item, "reason");
  const std::string start = start_text(item, now);
  if (text.empty() || start.empty()) return text;
  return fmt::format("{}; likely starts {} ({})", text, start, text_field(item, "estimate_basis"));
}

std::string queue_table(const Json& items, Micros now, const Style& style, int width) {
  const std::string whole = table_of(items, now, true).text(Style(false), 0);
  int widest = 0;
  for (const std::string& line : split(whole, '\n')) widest = std::max(widest, text_width(line));
  if (width == 0 || widest <= width) return table_of(items, now, true).text(style, width);
  const auto lines = split(table_of(items, now, false).text(style, width), '\n');
  std::string out = lines.front() + "\n";
  for (std::size_t i = 0; i < items.size(); ++i) {
    out += lines[i + 1] + "\n";
    for (const std::string& line : wrap_text(one_line(why_text(items[i], now)), std::max(20, width - 3))) {
      out += "   " + style(Tone::kDim, line) + "\n";
    }
  }
  return out;
}

std::string holders_text(const Json& items, const Json& computes, Micros now, const Style& style) {
  TextTable table({{""}, {""}});
  for (const Json& compute : computes) {
    const std::string name = text_field(compute, "name");
    std::int64_t runs = 0;
    std::int64_t nodes = 0;
    std::optional<Micros> first_end;
    for (const Json& item : items) {
      if (!has_nodes(item) || text_field(item, "compute") != name) continue;
      ++runs;
      nodes += static_cast<std::int64_t>(child(item, "node_names").size());
      const auto end = time_field(item, "estimated_end_at");
      if (end && (!first_end || *end < *first_end)) first_end = end;
    }
    if (runs == 0) continue;
    std::string text = fmt::format("{} of {} nodes in use by {} run{}", nodes, text_field(compute, "max_nodes"),
                                   runs, runs == 1 ? "" : "s");
    if (first_end) {
      text += fmt::format(", {} likely ends {}", runs == 1 ? "which" : "the first", time_until(*first_end, now));
    }
    table.add({{name, Tone::kBold}, text});
  }
  return table.text(style, 0);
}

}  // namespace roost
