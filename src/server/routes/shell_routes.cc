#include <atomic>

#include <fmt/format.h>

#include "base/frames.h"
#include "base/text.h"
#include "domain/rank_plan.h"
#include "domain/session_ask.h"
#include "records/attempt_records.h"
#include "records/run_records.h"
#include "server/routes/routes.h"
#include "server/routes/watched_stream.h"

namespace roost {
namespace {

using Side = ShellSessions::Side;

constexpr std::size_t kMostFrame = 1 << 20;
constexpr BodyRule kPieceRule{2 << 20, false};
constexpr Micros kPingEvery = 10 * kSecond;
constexpr const char* kRunIsOver = "the run has ended, and the session with it";

// What comes for one side of a session, until it is over. Whoever follows it is that side: when the stream goes, so does
// the session.
class SessionStream final : public ResponseStream {
 public:
  SessionStream(App& app, std::string id, Side side, std::string run) : app_(app), id_(std::move(id)), side_(side), run_(std::move(run)) {}
  ~SessionStream() override {
    // Nobody wakes what is going.
    bytes_.end();
    run_change_.end();
    app_.shells.unfollow(id_, side_);
  }

  void set_wake(std::function<void()> wake) override {
    bytes_ = app_.changes.hub().subscribe(ShellSessions::topic(id_, side_), wake);
    if (side_ != Side::kCaller) return;
    run_change_ = app_.changes.hub().subscribe("run/" + run_, [this, wake = std::move(wake)] {
      run_changed_ = true;
      wake();
    });
  }

  Step next(std::string& piece) override {
    if (is_over_) return Step::kEnd;
    if (side_ == Side::kCaller && run_changed_.exchange(false)) end_with_run();
    app_.shells.sweep();
    auto received = app_.shells.receive(id_, side_);
    is_over_ = received.is_over;
    piece = std::move(received.bytes);
    const Micros now = app_.clock.steady();
    if (piece.empty() && !is_over_ && now - last_sent_ >= kPingEvery) append_frame(piece, {{"k", "ping"}}, "");
    if (piece.empty()) return is_over_ ? Step::kEnd : Step::kWait;
    last_sent_ = now;
    return Step::kData;
  }

 private:
  void end_with_run() {
    Run run;
    const Status read = app_.db->read([&](Tx& tx) -> Status {
      ROOST_TRY(run, find_run(tx, run_));
      return {};
    });
    if (read) app_.shells.end_of_run(run_, is_terminal(run.status) ? 0 : run.attempt, kRunIsOver);
  }

  App& app_;
  const std::string id_;
  const Side side_;
  const std::string run_;
  std::atomic<bool> run_changed_ = true;  // it may have ended before anybody followed
  bool is_over_ = false;
  Micros last_sent_ = app_.clock.steady();
  ChangeHub::Subscription bytes_;
  ChangeHub::Subscription run_change_;
};

// The answer to a piece: given once there is room for it. Holds no thread while it waits.
class TakenAnswer final : public ResponseStream {
 public:
  TakenAnswer(App& app, std::string id, Side from, std::string bytes, bool is_last)
      : app_(app), id_(std::move(id)), from_(from), bytes_(std::move(bytes)), is_last_(is_last) {}

  void set_wake(std::function<void()> wake) override {
    room_ = app_.changes.hub().subscribe(ShellSessions::topic(id_, from_), std::move(wake));
  }

  Step next(std::string& piece) override {
    if (is_answered_) return Step::kEnd;
    const auto sent = app_.shells.send(id_, from_, bytes_, is_last_);
    const Micros now = app_.clock.steady();
    if (sent == ShellSessions::Sent::kFull && now - last_sent_ < kPingEvery) return Step::kWait;
    last_sent_ = now;
    if (sent == ShellSessions::Sent::kFull) {
      piece = " ";  // white space before a document says nothing, but that it will come
      return Step::kData;
    }
    is_answered_ = true;
    piece = to_text({{"taken", sent == ShellSessions::Sent::kTaken}});
    return Step::kData;
  }

 private:
  App& app_;
  const std::string id_;
  const Side from_;
  std::string bytes_;
  const bool is_last_;
  bool is_answered_ = false;
  Micros last_sent_ = app_.clock.steady();
  ChangeHub::Subscription room_;
};

Result<Response> follow(App& app, const Request& request, Side side, const std::string& whose, const std::string& run) {
  const std::string id = request.parameters.at("session");
  ROOST_CHECK(app.shells.check(id, side, whose, run));
  if (!app.shells.follow(id, side)) return fail(ErrorCode::kFailedPrecondition, "somebody follows this session already");
  Response response;
  response.content_type = kFramesType;
  response.stream = watched_stream(app, secret_of(app, request), std::make_unique<SessionStream>(app, id, side, run));
  return response;
}

Result<Response> send(App& app, Request& request, Side side, const std::string& whose, const std::string& run) {
  const std::string id = request.parameters.at("session");
  ROOST_CHECK(app.shells.check(id, side, whose, run));
  bool is_last = false;
  ROOST_CHECK(each_frame(request.body, kMostFrame, [&](const FrameView& frame) -> Status {
    is_last = is_last || (side == Side::kNode && text_at(frame.header, "k") == "end");
    return {};
  }));
  std::string bytes = std::move(request.body);
  switch (app.shells.send(id, side, bytes, is_last)) {
    case ShellSessions::Sent::kTaken: return json_response({{"taken", true}});
    case ShellSessions::Sent::kOver: return json_response({{"taken", false}});
    case ShellSessions::Sent::kFull: break;
  }
  Response response;
  response.stream = std::make_unique<TakenAnswer>(app, id, side, std::move(bytes), is_last);
  return response;
}

// Where the session leads: the node of that rank, which must have processes.
Result<std::string> node_for(Tx& tx, const Run& run, const SessionAsk& ask) {
  if (is_terminal(run.status) || has_no_node(run)) {
    return fail(ErrorCode::kFailedPrecondition,
                has_no_node(run) ? fmt::format("run {} has no node: it runs where it was made", run.id)
                                 : fmt::format("run {} has ended ({}): there is nothing to get into", run.id, status_name(run.status)));
  }
  const Gang gang = gang_of_spec(run.spec);
  const int rank = static_cast<int>(ask.rank.value_or(0));
  if (rank >= gang.processes()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("run {} has no rank {}; its ranks are 0 to {}", run.id, rank, gang.processes() - 1));
  }
  ROOST_TRY(const auto parts, attempt_parts(tx, run.seq, run.attempt));
  for (const auto& part : parts) {
    if (part.node_rank == rank / gang.per_node && part.state == PartState::kStarted) return part.node;
  }
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("run {} is {}: rank {} has no processes now; wait until it is Running", run.id, status_name(run.status), rank));
}

Result<Response> open(App& app, Request& request, const Principal& who) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(const SessionAsk ask, parse_session_ask(body));
  ShellSessions::Opening opening;
  ShellSessions::Opened opened;
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_TRY(const Run run, request_run(tx, request, who));
    ROOST_TRY(const std::string node, node_for(tx, run, ask));
    opening = {run.id, run.attempt, node, who.name, ask.port, session_ask_json(ask)};
    return {};
  }));
  ROOST_TRY(opened, app.shells.open(opening));
  if (opened.is_news) {
    // Who did what is in the run's history, whatever becomes of the session.
    const Status noted = app.db->write([&](Tx& tx) -> Status {
      ROOST_TRY(const Run run, find_run(tx, opening.run));
      return note_event(tx, run, session_ask_text(ask, who.name), app.clock.now());
    });
    if (!noted) {
      app.shells.unfollow(opened.id, Side::kCaller);
      return fail(noted.error());
    }
    app.changes.run_changed(opening.run);
  }
  app.changes.node_changed(opening.node);
  return json_response({{"id", opened.id}, {"run", opening.run}, {"node", opening.node}}, 201);
}

}  // namespace

void add_shell_routes(Router& router, App& app) {
  // Whoever may change a run may get into it. No run's token may: a script would get into others of its user.
  add_operation(router, app, "POST", "/api/v1/runs/{run}/sessions", "open_session", Need::kContributor,
                [&app](Request& request, const Principal& who) { return open(app, request, who); });
  add_operation(router, app, "GET", "/api/v1/runs/{run}/sessions/{session}/output", "follow_session", Need::kContributor,
                [&app](Request& request, const Principal& who) {
                  return follow(app, request, Side::kCaller, who.name, request.parameters["run"]);
                });
  add_operation(router, app, "POST", "/api/v1/runs/{run}/sessions/{session}/input", "send_to_session", Need::kContributor,
                [&app](Request& request, const Principal& who) {
                  return send(app, request, Side::kCaller, who.name, request.parameters["run"]);
                }, kPieceRule);
  add_operation(router, app, "GET", "/api/v1/nodes/{node}/sessions/{session}/input", "follow_session_input", Need::kNode,
                [&app](Request& request, const Principal&) {
                  return follow(app, request, Side::kNode, request.parameters["node"], "");
                });
  add_operation(router, app, "POST", "/api/v1/nodes/{node}/sessions/{session}/output", "send_session_output", Need::kNode,
                [&app](Request& request, const Principal&) {
                  return send(app, request, Side::kNode, request.parameters["node"], "");
                }, kPieceRule);
}

}  // namespace roost
