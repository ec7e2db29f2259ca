#include "cli/show/follow_view.h"

#include <unistd.h>

#include <cstdio>

#include "base/files.h"
#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/show/text_width.h"

namespace roost {

FollowView::FollowView(const Style& style, bool json, Shows shows, const Style& out)
    : style_(style), json_(json && shows != Shows::kBeside && shows != Shows::kNothing), shows_(shows), out_(out), line_(style, !json) {}

void FollowView::event(std::string_view text, const Json& event) {
  if (shows_ == Shows::kNothing) return;
  const std::string type = text_field(event, "type");
  if (json_) {
    if (type == "ping") return;
    std::string line(text);
    line += '\n';
    (void)write_all(1, line, "standard output");
    return;
  }
  if (type == "status") {
    if (shows_ != Shows::kLogOnly) status(text, event);
  } else if (type == "log") {
    const Json& piece = child(event, "text");
    if (!piece.is_string()) return;
    const auto& bytes = piece.get_ref<const std::string&>();
    if (text_field(event, "name") == kBuildLogName) {
      line_.hide();
      (void)write_all(2, style_(Tone::kDim, bytes), "standard error");  // not what the script says
    } else if (const Json& rank = child(event, "rank"); prefix_ && rank.is_number_integer()) {
      log(prefix_->mark(rank.get<int>(), bytes));
    } else {
      log(bytes);
    }
  } else if (type == "end") {
    line_.hide();
    if (prefix_) log(prefix_->finish());
    if (!at_line_start_ && is_terminal(1)) say("");
  }
}

void FollowView::status(std::string_view line, const Json& event) {
  // After a reconnection the server tells all states again.
  if (!seen_.emplace(line).second) return;
  const std::string status = text_field(event, "status");
  const bool is_news = status != last_status_;
  last_status_ = status;
  if (is_terminal_status(status)) return;  // the summary says it better
  const std::string reason = text_field(event, "reason");
  const std::string shown = reason.empty() ? status : status + ": " + one_line(reason);
  if (is_terminal(2)) {
    // The line would tear a line of output that has not ended.
    if (at_line_start_) line_.show(shown);
  } else if (is_news) {
    say(shown);
  }
}

void FollowView::log(std::string_view text) {
  if (text.empty()) return;
  line_.hide();
  const bool beside = shows_ == Shows::kBeside;
  (void)write_all(beside ? 2 : 1, text, beside ? "standard error" : "standard output");
  at_line_start_ = text.back() == '\n';
}

void FollowView::lost_server() {
  say("lost the server; the run goes on, waiting for the server to come back");
  if (at_line_start_) line_.show("waiting for the server");
}

void FollowView::found_server() { say("connected again"); }

void FollowView::say(const std::string& text) {
  line_.hide();
  const char* before = !at_line_start_ && is_terminal(1) && is_terminal(2) ? "\n" : "";
  if (*before) at_line_start_ = true;
  const std::string line = style_(Tone::kDim, text);
  if (text.empty()) {
    std::fputs(before, stderr);
  } else {
    std::fprintf(stderr, "%s%s\n", before, line.c_str());
  }
}

}  // namespace roost
