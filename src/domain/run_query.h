#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "domain/run.h"

namespace roost {

// The query language of the run table, described in docs/studio.md: status:failed metrics.loss<0.3 -tags.draft

// kLike and kAnyCaseLike compare text with a pattern as SQL's LIKE does.
enum class Match { kPresent, kPart, kEqual, kNotEqual, kLike, kAnyCaseLike, kLess, kAtMost, kGreater, kAtLeast };

// The display name, the id or the experiment contains it.
struct TextTerm {
  std::string text;
};
struct StatusTerm {
  std::vector<RunStatus> any;
};
enum class RunFact { kExperiment, kUser, kCompute, kType, kParent, kName, kId, kArtifactRoot };
// One of the values, in upper or lower case; `part` of a name or an id is enough.
struct FactTerm {
  RunFact fact = RunFact::kName;
  bool part = false;
  std::vector<std::string> any;
};
// A name, a user, an id, a parent or where MLflow's clients find its files, compared letter by letter: by kEqual, kLike
// or kAnyCaseLike.
struct PlainTerm {
  RunFact fact = RunFact::kName;
  Match match = Match::kEqual;
  std::vector<std::string> any;
};
// One of the datasets that the run used has such a value.
enum class DatasetPart { kName, kDigest, kContext };
struct DatasetTerm {
  DatasetPart part = DatasetPart::kName;
  Match match = Match::kEqual;
  std::vector<std::string> any;
  bool negated = false;  // it is none of these
};
enum class Labelled { kTag, kParam, kMetric };
// A tag, parameter or metric. `number` is set where `value` is one, and always for metrics and for < and >.
struct LabelTerm {
  Labelled what = Labelled::kTag;
  std::string name;
  Match match = Match::kPresent;
  std::string value;
  std::optional<double> number;
};
enum class RunMoment { kCreated, kStarted, kEnded };
struct MomentTerm {
  RunMoment moment = RunMoment::kCreated;
  Micros from = 0;
  Micros before = 0;  // not included
};
enum class RunSpan { kDuration, kAge };
// How long it ran (so far, if it still does), or how long ago it was created. Match is one of < <= > >=.
struct SpanTerm {
  RunSpan span = RunSpan::kDuration;
  Match match = Match::kLess;
  Micros length = 0;
};
enum class RunKind { kArchived, kAny, kChild, kTop, kDeleted };
struct KindTerm {
  RunKind kind = RunKind::kAny;
};

struct QueryNode;
struct AllOf {
  std::vector<QueryNode> nodes;  // none: everything
};
struct AnyOf {
  std::vector<QueryNode> nodes;
};
struct NoneOf {
  std::vector<QueryNode> nodes;
};
struct QueryNode {
  std::variant<AllOf, AnyOf, NoneOf, TextTerm, StatusTerm, FactTerm, PlainTerm, DatasetTerm, LabelTerm, MomentTerm, SpanTerm,
               KindTerm>
      term;
};

struct RunQuery {
  QueryNode root;
  bool archived_too = false;  // it says is:archived or is:any
  InBin bin = InBin::kLeftOut;  // kToo where it says is:deleted
};

// At most 2000 characters, 50 terms, 20 parentheses deep. An error says which term is wrong, at which character,
// and what would be right.
Result<RunQuery> parse_run_query(std::string_view text);

}  // namespace roost
