#include "cli/show/sweep_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/fact_list.h"
#include "cli/show/metric_text.h"
#include "cli/show/run_text.h"
#include "cli/show/sweep_estimate.h"
#include "cli/show/text_width.h"
#include "cli/show/times.h"

namespace roost {
namespace {

// Why it was stopped, paused or failed; of one that runs, when the policy looks at it next.
std::string why_text(const Json& trial) {
  if (std::string reason = text_field(trial, "reason"); !reason.empty()) return reason;
  const std::string next = text_field(trial, "next_check");
  return next.empty() ? "" : "next check at interval " + next;
}

std::string plain_name(const std::string& name) {
  const std::size_t start = name.find_first_not_of('-');
  return start == std::string::npos ? name : name.substr(start);
}

const Json& metric_of(const Json& sweep) { return child(child(sweep, "spec"), "metric"); }

bool is_active(const Json& trial) { return !is_terminal_status(text_field(trial, "status")); }

Tone trial_tone(const std::string& status) {
  return status == "Stopped" || status == "Paused" ? Tone::kYellow : status_tone(status);
}

std::string duration_text(const Json& trial, Micros now) {
  const auto start = time_field(trial, "started_at");
  if (!start || text_field(trial, "state") == "paused") return "";
  const Micros end = time_field(trial, "ended_at").value_or(now);
  return human_duration(static_cast<double>(std::max<Micros>(0, end - *start)) / kSecond);
}

std::string sweep_state(const Json& sweep) {
  const std::string phase = text_field(sweep, "phase");
  return phase == "paused" ? "Paused" : phase == "stopping" ? "Stopping" : text_field(sweep, "status");
}

// "3 of 20 trials ended, 4 running, 1 waiting"
std::string counts_text(const Json& sweep) {
  std::string text = fmt::format("{} of {} trials ended", ended_trials(sweep), planned_trials(sweep));
  for (const char* kind : {"running", "waiting", "paused", "stopped", "failed", "canceled"}) {
    const std::int64_t number = integer_at(child(sweep, "counts"), kind);
    if (number > 0) text += fmt::format(", {} {}", number, std::string_view(kind) == "stopped" ? "stopped early" : kind);
  }
  return text;
}

// The place of every trial, by number, when the best is first.
std::vector<std::size_t> by_worth(const Json& sweep, const Json& trials) {
  const bool minimize = text_field(metric_of(sweep), "goal") == "minimize";
  const auto worth = [&](std::size_t i) {
    const auto value = json_number(child(trials[i], "best"));
    if (!value || std::isnan(*value)) return -std::numeric_limits<double>::infinity();
    return minimize ? -*value : *value;
  };
  std::vector<std::size_t> order(trials.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return worth(a) > worth(b); });
  return order;
}

std::vector<std::string> parameter_names(const Json& sweep) {
  std::vector<std::string> names;
  for (const Json& dimension : child(child(sweep, "spec"), "space")) names.push_back(text_field(dimension, "name"));
  return names;
}

struct Layout {
  bool is_screen = false;    // not a pipe
  bool has_reasons = true;   // in the rows
};
const std::string kBelow(6, ' ');  // before a reason that stands below its row

// Short where it is for a screen: there the columns count, and `--json` has every digit.
std::string shown_value(const Json& value, bool is_screen) {
  if (!is_screen || !value.is_number_float()) return metric_value_text(value);
  return fmt::format("{:.3g}", value.get<double>());
}

TextTable trial_rows(const Json& sweep, const Json& trials, const std::vector<std::string>& names, Micros now, const Layout& layout) {
  std::vector<TextTable::Column> columns = {{""}, {"#", true}, {"STATUS"}};
  const std::string metric = one_line(text_field(metric_of(sweep), "name"));
  columns.push_back({metric.empty() ? "BEST" : metric, true});
  columns.insert(columns.end(), {{"LAST", true}, {"LOGGED", true}, {"TIME", true}});
  for (const std::string& name : names) columns.push_back({one_line(plain_name(name)), true, true});
  columns.insert(columns.end(), {{"MADE BY"}, {"RUN", false, false, true}, {"WHY", false, true}});

  const Json& best = child(child(sweep, "best"), "trial");
  TextTable table(std::move(columns));
  for (const Json& trial : trials) {
    const bool is_best = !best.is_null() && child(trial, "number") == best;
    const std::string status = trial_status(trial);
    const std::string origin = text_field(trial, "origin");
    const bool hand_made = origin == "hand" || origin == "resumed";
    const std::string value = metric_value_text(child(trial, "best"));
    const std::string last = metric_value_text(child(trial, "last"));
    std::vector<TextTable::Cell> cells = {{is_best ? "*" : "", Tone::kGreen},
                                          text_field(trial, "number"),
                                          {status, trial_tone(status)},
                                          {value, is_best ? Tone::kGreen : Tone::kPlain},
                                          last == value ? "" : last,
                                          text_field(trial, "intervals"),
                                          {duration_text(trial, now), Tone::kDim}};
    for (const std::string& name : names) {
      cells.emplace_back(shown_value(child(child(trial, "parameters"), name.c_str()), layout.is_screen));
    }
    cells.emplace_back(hand_made ? origin : "");
    cells.emplace_back(layout.is_screen ? "" : text_field(trial, "run"));
    cells.emplace_back(layout.has_reasons ? why_text(trial) : "", Tone::kDim);
    table.add(std::move(cells));
  }
  return table;
}

int widest_line(const std::string& text) {
  int widest = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    widest = std::max(widest, text_width(std::string_view(text).substr(from, end - from)));
    from = end + 1;
  }
  return widest;
}

// After the line of each trial that has a reason comes the reason.
std::string with_reasons_below(const std::string& table, const Json& trials, const Style& style, int width) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t row = 0; from < table.size(); ++row) {
    const std::size_t end = table.find('\n', from);
    out += table.substr(from, end + 1 - from);
    from = end + 1;
    if (row == 0) continue;  // the head
    const std::string reason = one_line(why_text(trials[row - 1]));
    if (!reason.empty()) out += kBelow + style(Tone::kDim, clip_text(reason, width - static_cast<int>(kBelow.size()))) + "\n";
  }
  return out;
}

}  // namespace

std::string trial_status(const Json& trial) {
  const std::string state = text_field(trial, "state");
  return state == "stopped" ? "Stopped" : state == "paused" ? "Paused" : text_field(trial, "status");
}

std::string parameters_text(const Json& sweep, const Json& parameters) {
  std::string text;
  const auto add = [&text](const std::string& name, const Json& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", plain_name(name), metric_value_text(value));
  };
  std::set<std::string> shown;
  for (const Json& dimension : child(child(sweep, "spec"), "space")) {
    const std::string name = text_field(dimension, "name");
    if (const Json& value = child(parameters, name.c_str()); !value.is_null()) add(name, value);
    shown.insert(name);
  }
  if (!parameters.is_object()) return text;
  for (const auto& [name, value] : parameters.items()) {
    if (!shown.contains(name)) add(name, value);
  }
  return text;
}

TextTable sweep_table(const Json& sweeps, Micros now) {
  TextTable table({{"SWEEP"},
                   {"EXPERIMENT", false, true},
                   {"STATUS"},
                   {"TRIALS", true},
                   {"METRIC", false, true},
                   {"BEST", true},
                   {"CREATED"},
                   {"BY", false, true}});
  for (const Json& sweep : sweeps) {
    const std::string state = sweep_state(sweep);
    const auto created = time_field(sweep, "created_at");
    table.add({{text_field(sweep, "id"), Tone::kBold},
               text_field(sweep, "experiment"),
               {state, status_tone(state)},
               fmt::format("{}/{}", ended_trials(sweep), planned_trials(sweep)),
               text_field(metric_of(sweep), "name"),
               metric_value_text(child(child(sweep, "best"), "value")),
               {created ? time_ago(*created, now) : "", Tone::kDim},
               text_field(sweep, "created_by")});
  }
  return table;
}

Json best_trials(const Json& sweep, const Json& trials, std::size_t most) {
  Json best = Json::array();
  for (const std::size_t i : by_worth(sweep, trials)) {
    if (best.size() < most) best.push_back(trials[i]);
  }
  return best;
}

Json trials_that_fit(const Json& sweep, const Json& trials, std::size_t most) {
  if (trials.size() <= most) return trials;
  std::set<std::size_t> chosen;
  const auto choose = [&](std::size_t i, std::size_t up_to) {
    if (chosen.size() < up_to) chosen.insert(i);
  };
  for (std::size_t i = trials.size(); i-- > 0;) {
    if (is_active(trials[i])) choose(i, std::max<std::size_t>(1, most / 2));
  }
  std::size_t best = 0;
  for (const std::size_t i : by_worth(sweep, trials)) {
    if (best++ < most / 2) choose(i, most);
  }
  for (std::size_t i = trials.size(); i-- > 0;) choose(i, most);
  Json fitting = Json::array();
  for (const std::size_t i : chosen) fitting.push_back(trials[i]);
  return fitting;
}

std::string trial_table(const Json& sweep, const Json& trials, Micros now, const Style& style, int width) {
  const std::vector<std::string> names = parameter_names(sweep);
  const TextTable whole = trial_rows(sweep, trials, names, now, {.is_screen = width != 0});
  if (width == 0 || widest_line(whole.text(Style(false), 0)) <= width) return whole.text(style, width);
  const TextTable rows = trial_rows(sweep, trials, names, now, {.is_screen = true, .has_reasons = false});
  return with_reasons_below(rows.text(style, width), trials, style, width);
}

std::string sweep_head(const Json& sweep, const Json& trials, Micros now, const Style& style, int width) {
  const std::string state = sweep_state(sweep);
  std::string out = style(Tone::kBold, text_field(sweep, "id")) + "  " + style(status_tone(state), state) + "\n";
  FactList facts;
  facts.add("experiment", text_field(sweep, "experiment"));
  facts.add("trials", counts_text(sweep));
  if (const auto end = estimated_end(sweep, trials, now)) {
    facts.add("ends", fmt::format("likely {}", time_until(*end, now)));
  }
  const std::string message = text_field(sweep, "message");
  if (message.find(" children ended, ") == std::string::npos) {  // the counts, which are there already
    facts.add(is_active(sweep) ? "doing" : "why", message);
  }
  const std::string metric = text_field(metric_of(sweep), "name");
  if (const Json& best = child(sweep, "best"); best.is_object()) {
    facts.add("best", fmt::format("{} {} by trial {}: {}", metric, metric_value_text(child(best, "value")),
                                  text_field(best, "trial"), parameters_text(sweep, child(best, "parameters"))));
    facts.add("its run", text_field(best, "run"));
  } else if (const Json& seen = child(sweep, "metrics_seen"); seen.is_array() && !seen.empty()) {
    std::vector<std::string> names;
    for (const Json& name : seen) names.push_back(value_text(name));
    facts.add("warning", fmt::format("no trial logged \"{}\" so far; they logged {}. The name must be the same to the letter",
                                     metric, fmt::join(names, ", ")));
  }
  return out + facts.text(style, 2, width);
}

std::string trial_line(const Json& sweep, const Json& trial) {
  std::string text = fmt::format("trial {} {}", text_field(trial, "number"), trial_status(trial));
  if (const Json& best = child(trial, "best"); !best.is_null()) {
    text += fmt::format("  {} {}", text_field(metric_of(sweep), "name"), metric_value_text(best));
  }
  text += "  " + parameters_text(sweep, child(trial, "parameters"));
  if (const std::string reason = text_field(trial, "reason"); !reason.empty()) text += "  (" + reason + ")";
  return one_line(text);
}

}  // namespace roost
