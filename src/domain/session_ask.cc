#include "domain/session_ask.h"

#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"

namespace roost {
namespace {

constexpr std::size_t kMostCommand = 128 * 1024;
constexpr std::size_t kMostWords = 10'000;
constexpr std::size_t kMostShown = 200;

}  // namespace

Result<SessionAsk> parse_session_ask(const Json& body) {
  JsonFields fields(body, "the session");
  SessionAsk ask;
  ask.command = fields.strings("command");
  if (fields.has("port")) ask.port = fields.integer("port", 0, 1, 65535);
  if (fields.has("rank")) ask.rank = fields.integer("rank", 0, 0, 1'000'000);
  const bool has_terminal = fields.has("terminal");
  const Json terminal = fields.object("terminal");
  ROOST_CHECK(fields.done());
  if (ask.command.empty() == (ask.port == 0)) {
    return fail(ErrorCode::kInvalidArgument, "a session needs either \"command\", the words of a program, or \"port\"");
  }
  if (has_terminal) {
    JsonFields size(terminal, "\"terminal\"");
    SessionAsk::Terminal made;
    made.rows = size.integer("rows", made.rows, 1, 10'000);
    made.columns = size.integer("columns", made.columns, 1, 10'000);
    made.type = size.string("type");
    ROOST_CHECK(size.done());
    ROOST_CHECK(check_text(made.type, "the type of the terminal", 100));
    if (ask.port != 0) return fail(ErrorCode::kInvalidArgument, "a port has no \"terminal\"");
    ask.terminal = std::move(made);
  }
  std::size_t size = 0;
  for (const auto& word : ask.command) {
    size += word.size();
    if (word.find('\0') != std::string::npos) size = kMostCommand + 1;
  }
  if (size > kMostCommand || ask.command.size() > kMostWords || (!ask.command.empty() && ask.command.front().empty())) {
    return fail(ErrorCode::kInvalidArgument, "the command has a NUL byte, is longer than 128 KiB, or begins with nothing");
  }
  return ask;
}

Json session_ask_json(const SessionAsk& ask) {
  Json out = {{"kind", ask.port != 0 ? "port" : "exec"}};
  if (ask.rank) out["rank"] = *ask.rank;
  if (ask.port != 0) out["port"] = ask.port;
  if (!ask.command.empty()) out["command"] = ask.command;
  if (ask.terminal) {
    out["terminal"] = {{"rows", ask.terminal->rows}, {"columns", ask.terminal->columns}, {"type", ask.terminal->type}};
  }
  return out;
}

std::string session_ask_text(const SessionAsk& ask, const std::string& user) {
  const std::string where = ask.rank ? fmt::format(" at rank {}", *ask.rank) : "";
  if (ask.port != 0) return fmt::format("{} connected to port {}{}", user, ask.port, where);
  std::string line;
  for (const auto& word : ask.command) line += (line.empty() ? "" : " ") + word;
  line = printable(line);
  if (line.size() > kMostShown) line = to_utf8(line.substr(0, kMostShown)) + "...";
  return fmt::format("{} ran{}: {}", user, where, line);
}

}  // namespace roost
