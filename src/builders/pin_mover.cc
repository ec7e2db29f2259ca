#include "builders/pin_mover.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "builders/explain.h"
#include "builders/requirement.h"
#include "domain/version.h"

namespace roost {
namespace {

constexpr int kMostRounds = 12;  // each loosens at least one pin

// Whether the text speaks of the package, and not of one whose name only begins or ends like it.
bool names(std::string_view text, std::string_view name) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; };
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const auto end = at + name.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}

std::string locked_version(const std::vector<std::string>& lock, const std::string& name) {
  for (const auto& line : lock) {
    const Requirement one = parse_requirement(line);
    if (one.name == name && one.condition.starts_with("==")) return one.condition.substr(2);
  }
  return "";
}

class PinMover {
 public:
  PinMover(Resolver& resolver, const std::vector<std::string>& lines, Pins pins,
           const Unbuildable& unbuildable, const BuildLog& log)
      : resolver_(resolver), move_(pins == Pins::kNearest), unbuildable_(unbuildable), log_(log) {
    for (const auto& line : lines) pins_.push_back({parse_requirement(line), State::kKept, "", ""});
    for (const auto& [name, versions] : unbuildable) settled_.only_binary.insert(name);
  }

  Result<Settled> settle() {
    ROOST_TRY(Answer answer, ask_all(true));
    settled_.wheels_only = true;
    if (answer.found && !(answer.yanked && move_)) return take(answer);
    if (answer.unreachable) return fail_unreachable(answer);
    ROOST_TRY(const bool each_alone, all_alone());
    for (auto& pin : pins_) {
      if (!each_alone && !pin.asked.is_url) ROOST_CHECK(look_at(pin));
    }
    for (int round = 0; round < kMostRounds; ++round) {
      ROOST_TRY(answer, settle_together());
      if (answer.found) return take(answer);
      if (answer.unreachable) return fail_unreachable(answer);
      if (!answer.unbuilt.empty() && is_new(answer)) {
        ROOST_CHECK(give_up_source(answer));
        continue;
      }
      if (!move_ || !loosen(answer.problem)) break;
    }
    return fail(ErrorCode::kFailedPrecondition, answer.problem);
  }

 private:
  enum class State {
    kKept,   // as it was asked for
    kMoved,  // its start or above, the nearest
    kFree,   // any version
  };
  struct Pin {
    Requirement asked;
    State state;
    std::string nearest;  // of a moved one, once it is known
    std::string range;    // of a moved one, if it is not all from its start on

    std::string condition() const { return range.empty() ? ">=" + asked.start() : range; }
  };

  Result<Settled> take(const Answer& answer) {
    settled_.lock = answer.lock;
    return settled_;
  }

  static tl::unexpected<Error> fail_unreachable(const Answer& answer) {
    return fail(ErrorCode::kUnavailable, answer.problem);
  }

  Question question(bool wheels_only) const {
    Question asked;
    asked.wheels_only = wheels_only;
    asked.only_binary = settled_.only_binary;
    asked.from_source = settled_.from_source;
    return asked;
  }

  Result<Answer> ask_all(bool wheels_only) {
    Question asked = question(wheels_only);
    for (const auto& pin : pins_) asked.requirements.push_back(pin.asked.line);
    return resolver_.ask(asked);
  }

  Result<Answer> ask_one(const std::string& line, bool wheels_only, bool lowest = false) {
    Question asked;
    asked.requirements = {line};
    asked.dependencies = false;
    asked.wheels_only = wheels_only;
    asked.lowest = lowest;
    return resolver_.ask(asked);
  }

  // Whether each could be had as a wheel if it were not for the others: one question in place of many.
  Result<bool> all_alone() {
    Question asked = question(true);
    asked.dependencies = false;
    for (const auto& pin : pins_) {
      if (!pin.asked.is_url) asked.requirements.push_back(pin.asked.line);
    }
    ROOST_TRY(const Answer answer, resolver_.ask(asked));
    return answer.found && !(answer.yanked && move_);
  }

  // Whether this one alone can be had; else from what it moves on.
  Status look_at(Pin& pin) {
    const Requirement& asked = pin.asked;
    ROOST_TRY(const Answer ready, ask_one(asked.line, true));
    if (ready.unreachable) return fail_unreachable(ready);
    if (ready.found && !(ready.yanked && move_)) return {};
    ROOST_TRY(const Answer any, ask_one(asked.name, true));
    ROOST_TRY(const Answer source, ask_one(asked.line, false));
    if (source.unbuilt == asked.name && !asked.name.empty() && is_new(source)) {  // pip has to build it to know what it needs
      why_unbuilt_ = source.problem;
      unbuildable_[asked.name].push_back(source.unbuilt_version);
    }
    const bool buildable = source.found && !unbuildable_.contains(asked.name);
    // A package of Python alone is built in a moment. One that needs compilers and has wheels of other
    // versions is rather moved: old sources hardly ever compile.
    if (buildable && !(source.yanked && move_) && !(any.compiled && move_)) {
      settled_.from_source.insert(asked.name);
      return {};
    }
    if (!move_ || asked.condition.empty()) return cannot_be_had(asked, any);
    if (!any.found && unbuildable_.contains(asked.name)) return take_later_source(pin, any);
    if (any.found) settled_.only_binary.insert(asked.name);
    ROOST_TRY(const bool moved, move(pin, any.found));
    if (!any.found) {
      ROOST_TRY(const Answer sources, ask_one(asked.name, false));
      if (!sources.found) return cannot_be_had(asked, any);
      settled_.from_source.insert(asked.name);
    }
    if (!moved) pin.state = State::kFree;
    return {};
  }

  // Looks for the nearest version: above in the same major version, else below in it, else above. A major version 0
  // promises nothing, so there it goes up.
  Result<bool> move(Pin& pin, bool wheels_only) {
    const std::string start = pin.asked.start();
    const auto version = parse_version(start);
    if (!version) return false;
    const int major = version->release[0];
    const auto try_range = [&](const std::string& range, bool lowest) -> Result<bool> {
      ROOST_TRY(const Answer nearest, ask_one(pin.asked.with(range), wheels_only, lowest));
      if (!nearest.found) return false;
      pin.state = State::kMoved;
      pin.nearest = locked_version(nearest.lock, pin.asked.name);
      pin.range = lowest ? range : fmt::format(">={},<{}", without_local(pin.nearest), start);
      return true;
    };
    ROOST_TRY(const bool above, try_range(fmt::format(">={},<{}", start, major + 1), true));
    if (above) return true;
    if (major > 0) {
      ROOST_TRY(const bool below, try_range(fmt::format(">={},<{}", major, start), false));
      if (below) return true;
    }
    return try_range(">=" + start, true);
  }

  // There are no wheels of it, and its source was tried: the next release line is tried, then the newest.
  Status take_later_source(Pin& pin, const Answer& any) {
    const auto& tried = unbuildable_[pin.asked.name];
    std::string newest;
    for (const auto& text : resolver_.versions(pin.asked.name)) {
      if (const auto version = parse_version(text); version && version->is_final) newest = text;
    }
    const bool is_new = std::find(tried.begin(), tried.end(), newest) == tried.end();
    if (newest.empty() || tried.back().empty() || !is_new || tried.size() > 2) return cannot_be_had(pin.asked, any);
    settled_.only_binary.erase(pin.asked.name);
    settled_.from_source.insert(pin.asked.name);
    pin.state = State::kMoved;
    pin.range = tried.size() == 1 ? ">" + tried.back() : "==" + newest;
    ROOST_TRY(const Answer later, ask_one(pin.asked.with(pin.range), false, true));
    pin.nearest = locked_version(later.lock, pin.asked.name);
    return {};
  }

  Status cannot_be_had(const Requirement& asked, const Answer& any) {
    const auto versions = resolver_.versions(asked.name);
    if (unbuildable_.contains(asked.name)) {
      const std::string why = why_unbuilt_.empty() ? asked.line + " has no ready-made wheel for this Python, and building it "
                                                                  "from its source failed"
                                                   : why_unbuilt_;
      return fail(ErrorCode::kFailedPrecondition, why + std::string(move_ ? "" : kTwoWaysOut));
    }
    if (!versions.empty() && !asked.condition.empty()) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{} cannot be had: there are {}{}", asked.line, shown_versions(versions), move_ ? "" : kTwoWaysOut));
    }
    const bool unknown = any.problem.empty() || any.problem.find("not found in") != std::string::npos ||
                         any.problem.find("no such package") != std::string::npos;
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} cannot be had: {}", asked.line, unknown ? "there is no such package" : any.problem));
  }

  // A source that had to be built to know what it needs, and could not be.
  bool is_new(const Answer& answer) const {
    const auto it = unbuildable_.find(answer.unbuilt);
    return it == unbuildable_.end() || std::find(it->second.begin(), it->second.end(), answer.unbuilt_version) == it->second.end();
  }

  Status give_up_source(const Answer& answer) {
    why_unbuilt_ = answer.problem;
    unbuildable_[answer.unbuilt].push_back(answer.unbuilt_version);
    settled_.only_binary.insert(answer.unbuilt);
    settled_.from_source.erase(answer.unbuilt);
    log_(answer.problem);
    for (auto& pin : pins_) {
      if (pin.asked.name == answer.unbuilt && !pin.asked.is_url) ROOST_CHECK(look_at(pin));
    }
    return {};
  }

  bool any_moved() const {
    return std::any_of(pins_.begin(), pins_.end(), [](const Pin& pin) { return pin.state == State::kMoved; });
  }

  Result<Answer> settle_together() {
    if (any_moved() && resolver_.knows_lowest()) {
      ROOST_TRY(const Answer lowest, find_nearest());
      if (!lowest.found) return lowest;
    }
    Answer first;
    // The newest bug-fix release of the nearest line; else that very version; else anything above.
    for (const auto how : {How::kLine, How::kExactly, How::kAbove}) {
      if (how != How::kLine && !any_moved()) continue;
      for (const bool wheels_only : {true, false}) {
        ROOST_TRY(Answer answer, ask_with(how, wheels_only));
        settled_.wheels_only = wheels_only;
        if (answer.found || answer.unreachable) return answer;
        if (!answer.unbuilt.empty()) return answer;
        if (first.problem.empty()) first = std::move(answer);
      }
    }
    return first;
  }

  // The oldest versions from the starts on that fit each other and the pins that were kept.
  Result<Answer> find_nearest() {
    Question asked = question(true);
    asked.lowest = true;
    for (const auto& pin : pins_) {
      if (pin.asked.is_url || pin.state == State::kFree) continue;
      if (pin.state == State::kMoved) {
        asked.requirements.push_back(pin.asked.with(pin.condition()));
      } else if (pin.asked.is_exact()) {
        asked.requirements.push_back(pin.asked.line);
      } else if (!pin.asked.condition.empty()) {
        Requirement plain = pin.asked;
        plain.extras.clear();
        asked.constraints.push_back(plain.with(plain.condition));
      }
    }
    ROOST_TRY(Answer answer, resolver_.ask(asked));
    if (!answer.found) {
      asked.wheels_only = false;
      ROOST_TRY(Answer built, resolver_.ask(asked));
      if (built.found || !built.unbuilt.empty()) answer = std::move(built);
    }
    for (auto& pin : pins_) {
      if (answer.found && pin.state == State::kMoved) pin.nearest = locked_version(answer.lock, pin.asked.name);
    }
    return answer;
  }

  enum class How { kLine, kExactly, kAbove };
  Result<Answer> ask_with(How how, bool wheels_only) {
    Question asked = question(wheels_only);
    for (const auto& pin : pins_) {
      if (pin.state == State::kKept) {
        asked.requirements.push_back(pin.asked.line);
      } else if (pin.state == State::kFree) {
        asked.requirements.push_back(pin.asked.with(""));
      } else if (how == How::kAbove || pin.nearest.empty()) {
        asked.requirements.push_back(pin.asked.with(pin.condition()));
      } else {
        asked.requirements.push_back(pin.asked.with(how == How::kLine ? same_line(pin.nearest) : "==" + pin.nearest));
      }
    }
    return resolver_.ask(asked);
  }

  // Gives way where the resolver saw a conflict: pins first, then those that were moved already.
  bool loosen(const std::string& problem) {
    bool loosened = false;
    for (auto& pin : pins_) {
      if (pin.state != State::kKept || pin.asked.is_url || pin.asked.start().empty()) continue;
      if (!names(problem, pin.asked.name)) continue;
      pin.state = State::kMoved;
      pin.nearest.clear();
      loosened = true;
    }
    for (auto& pin : pins_) {
      if (loosened) break;
      if (pin.state != State::kMoved || pin.range.empty() || unbuildable_.contains(pin.asked.name)) continue;
      if (!names(problem, pin.asked.name)) continue;
      pin.range.clear();
      loosened = true;
    }
    for (auto& pin : pins_) {
      if (loosened) break;
      if (pin.state != State::kMoved || !names(problem, pin.asked.name)) continue;
      pin.state = State::kFree;
      loosened = true;
    }
    if (loosened) log_("these pins do not go together: " + problem);
    return loosened;
  }

  Resolver& resolver_;
  const bool move_;
  Unbuildable unbuildable_;
  std::string why_unbuilt_;
  const BuildLog& log_;
  std::vector<Pin> pins_;
  Settled settled_;
};

}  // namespace

Result<Settled> settle_versions(Resolver& resolver, const std::vector<std::string>& requirements, Pins pins,
                                const Unbuildable& unbuildable, const BuildLog& log) {
  return PinMover(resolver, requirements, pins, unbuildable, log).settle();
}

}  // namespace roost
