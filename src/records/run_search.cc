#include "records/run_search.h"

#include <algorithm>

#include "base/text.h"
#include "domain/like.h"
#include "records/run_names.h"
#include "records/wire_run_records.h"

namespace roost {
namespace {

constexpr std::int64_t kFewRuns = 1000;

bool contains(std::string_view text, const std::string& folded, std::string& scratch) {
  fold_case(text, scratch);
  return scratch.find(folded) != std::string::npos;
}

// The condition that a column has to meet, as SQL.
std::string_view condition(Match match) {
  switch (match) {
    case Match::kEqual: return " = ?";
    case Match::kNotEqual: return " IS NOT ?";
    case Match::kLess: return " < ?";
    case Match::kAtMost: return " <= ?";
    case Match::kGreater: return " > ?";
    case Match::kAtLeast: return " >= ?";
    case Match::kPresent:
    case Match::kPart:
    case Match::kLike:
    case Match::kAnyCaseLike: break;
  }
  return " IS NOT NULL";
}

std::string with(std::string_view select, std::string_view condition) {
  std::string sql(select);
  sql += condition;
  return sql;
}

class Search {
 public:
  Search(Tx& tx, FoundRuns& found, Micros now) : tx_(tx), found_(found), now_(now) {}

  Status look(const RunQuery& query) {
    ROOST_CHECK(find_all());
    if (query.bin != InBin::kToo) {
      ROOST_TRY(const RunSet deleted, find(KindTerm{RunKind::kDeleted}));
      if (query.bin == InBin::kOnly) {
        all_.keep(deleted);
      } else {
        all_.remove(deleted);
      }
    }
    if (!query.archived_too) {
      ROOST_TRY(const RunSet archived, find(KindTerm{RunKind::kArchived}));
      all_.remove(archived);
    }
    Rows rows = tx_.query("SELECT seq, attempt FROM run INDEXED BY run_retried WHERE workspace = ? AND attempt > 1",
                          found_.workspace);
    while (rows.next()) found_.retried.emplace(rows.integer(0), rows.integer(1));
    return rows.status();
  }

  const RunSet& all() const { return all_; }

  Result<RunSet> find(const QueryNode& node) {
    return std::visit([this](const auto& term) { return this->find(term); }, node.term);
  }

 private:
  // Where all runs from the first to the last belong to the workspace, counting them is quicker than reading them.
  Status find_all() {
    std::int64_t count = 0;
    std::int64_t first = 0;
    std::int64_t last = -1;
    ROOST_CHECK(read_one("SELECT count(*) FROM run INDEXED BY run_by_created WHERE workspace = ?", count));
    if (count == 0) return {};
    ROOST_CHECK(read_one("SELECT min(seq) FROM run INDEXED BY run_by_workspace WHERE workspace = ?", first));
    ROOST_CHECK(read_one("SELECT max(seq) FROM run INDEXED BY run_by_workspace WHERE workspace = ?", last));
    if (last - first + 1 == count) {
      all_.add_range(first, last);
      return {};
    }
    return add_rows(all_, tx_.query("SELECT seq FROM run INDEXED BY run_by_created WHERE workspace = ?", found_.workspace));
  }

  Status read_one(const char* sql, std::int64_t& value) {
    Rows rows = tx_.query(sql, found_.workspace);
    if (rows.next()) value = rows.integer(0);
    return rows.status();
  }

  Result<RunSet> find(const AllOf& all) {
    RunSet set = all_;
    for (const QueryNode& node : all.nodes) {
      const auto* label = std::get_if<LabelTerm>(&node.term);
      const bool look_up = label != nullptr && label->what == Labelled::kMetric && set.count() <= kFewRuns;
      ROOST_TRY(const RunSet one, look_up ? find_metric_among(set, *label) : find(node));
      set.keep(one);
    }
    return set;
  }
  Result<RunSet> find(const AnyOf& any) {
    RunSet set;
    for (const QueryNode& node : any.nodes) {
      ROOST_TRY(const RunSet one, find(node));
      set.add_all(one);
    }
    return set;
  }
  Result<RunSet> find(const NoneOf& none) {
    RunSet set = all_;
    for (const QueryNode& node : none.nodes) {
      ROOST_TRY(const RunSet one, find(node));
      set.remove(one);
    }
    return set;
  }

  Result<RunSet> find(const TextTerm& term) {
    std::string scratch;
    ROOST_TRY(RunSet set, experiments([&](std::string_view name) { return contains(name, term.text, scratch); }));
    ROOST_CHECK(names_.read(tx_, found_.workspace));
    names_.find(term.text, set);
    return set;
  }

  Result<RunSet> find(const StatusTerm& term) {
    RunSet set;
    for (const RunStatus status : term.any) {
      ROOST_CHECK(add_rows(set, tx_.query("SELECT seq FROM run WHERE workspace = ? AND status = ?", found_.workspace,
                                          status_name(status))));
    }
    return set;
  }

  Result<RunSet> find(const FactTerm& term) {
    RunSet set;
    if (term.fact == RunFact::kExperiment) {
      return experiments([&](std::string_view name) { return is_any(term, fold_case(name)); });
    }
    if (term.fact == RunFact::kName || term.fact == RunFact::kId) {
      ROOST_CHECK(names_.read(tx_, found_.workspace));
      names_.each([&](std::int64_t row, std::string_view name, std::string_view id) {
        if (is_any(term, term.fact == RunFact::kName ? name : id)) set.add(row);
      });
      return set;
    }
    Rows rows = tx_.query(fact_statement(term.fact), found_.workspace);
    std::string before;  // neighbours mostly have the same user, compute and type
    bool wanted = is_any(term, before);
    while (rows.next()) {
      if (rows.bytes(1) != before) {
        before = rows.text(1);
        wanted = is_any(term, fold_case(before));
      }
      if (wanted) set.add(rows.integer(0));
    }
    ROOST_CHECK(rows.status());
    return set;
  }

  Result<RunSet> find(const PlainTerm& term) {
    RunSet set;
    std::string scratch;
    if (term.fact == RunFact::kArtifactRoot) {
      Rows rows = tx_.query("SELECT r.seq, r.id, e.id, e.name, e.artifact_location FROM experiment e JOIN run r ON r.experiment = e.id"
                            " WHERE e.workspace = ?",
                            found_.workspace);
      while (rows.next()) {
        Experiment experiment;
        experiment.row = rows.integer(2);
        experiment.name = rows.text(3);
        experiment.artifact_location = rows.text(4);
        if (is_any_match(wire_run_root(experiment, wire_run_id(rows.bytes(1), rows.integer(0))), term, scratch)) set.add(rows.integer(0));
      }
      ROOST_CHECK(rows.status());
      return set;
    }
    Rows rows = tx_.query(plain_statement(term.fact), found_.workspace);
    while (rows.next()) {
      if (rows.is_null(1)) continue;
      const bool has_two = term.fact == RunFact::kId || term.fact == RunFact::kParent;
      if (is_any_match(rows.bytes(1), term, scratch) ||
          (has_two && !rows.is_null(2) && is_any_match(wire_run_id(rows.bytes(1), rows.integer(2)), term, scratch))) {
        set.add(rows.integer(0));
      }
    }
    ROOST_CHECK(rows.status());
    return set;
  }

  // The third column is the row whose id the second one is, where it may be asked for by that.
  static const char* plain_statement(RunFact fact) {
    switch (fact) {
      case RunFact::kId: return "SELECT seq, id, seq FROM run INDEXED BY run_by_workspace WHERE workspace = ?";
      case RunFact::kParent:
        return "SELECT r.seq, r.parent, p.seq FROM run r INDEXED BY run_facts LEFT JOIN run p ON p.id = r.parent WHERE r.workspace = ?";
      case RunFact::kUser: return "SELECT seq, created_by FROM run INDEXED BY run_facts WHERE workspace = ?";
      default: return "SELECT seq, display_name FROM run INDEXED BY run_by_workspace WHERE workspace = ?";
    }
  }

  Result<RunSet> find(const DatasetTerm& term) {
    RunSet set;
    std::string scratch;
    Rows rows = tx_.query("SELECT d.run, d.name, d.digest, d.tags_json FROM run_dataset d JOIN run r ON r.seq = d.run"
                          " WHERE r.workspace = ?",
                          found_.workspace);
    while (rows.next()) {
      std::string value;
      switch (term.part) {
        case DatasetPart::kName: value = rows.text(1); break;
        case DatasetPart::kDigest: value = rows.text(2); break;
        case DatasetPart::kContext: value = text_at(stored_json(rows.bytes(3)), "mlflow.data.context"); break;
      }
      if (is_any_match(value, term, scratch) != term.negated) set.add(rows.integer(0));
    }
    ROOST_CHECK(rows.status());
    return set;
  }

  static const char* fact_statement(RunFact fact) {
    switch (fact) {
      case RunFact::kUser:
        return "SELECT seq, created_by FROM run INDEXED BY run_facts WHERE workspace = ?";
      case RunFact::kCompute:
        return "SELECT seq, compute FROM run INDEXED BY run_facts WHERE workspace = ?";
      case RunFact::kParent:
        return "SELECT seq, parent FROM run INDEXED BY run_facts WHERE workspace = ?";
      default:
        return "SELECT seq, type FROM run INDEXED BY run_facts WHERE workspace = ?";
    }
  }

  Result<RunSet> find(const LabelTerm& term) {
    switch (term.what) {
      case Labelled::kTag: return find_tag(term);
      case Labelled::kParam: return find_param(term);
      case Labelled::kMetric: break;
    }
    RunSet set;
    ROOST_CHECK(add_newest(set, metric_rows("SELECT run, attempt FROM metric INDEXED BY metric_by_name WHERE name = ?", term)));
    return set;
  }

  // Where other terms have left only a few runs, looking at each is quicker than walking through all that have the metric.
  // The plus keeps SQLite from that walk.
  Result<RunSet> find_metric_among(const RunSet& among, const LabelTerm& term) {
    RunSet set;
    Status status;
    among.oldest_first([&](std::int64_t row) {
      status = add_newest(set, metric_rows("SELECT run, attempt FROM metric WHERE +name = ? AND run = ?", term, row));
      return status.has_value();
    });
    if (!status) return fail(status.error());
    return set;
  }

  template <class... Row>
  Rows metric_rows(std::string_view select, const LabelTerm& term, Row... row) {
    if (term.match == Match::kPresent) return tx_.query(select, term.name, row...);
    return tx_.query(with(with(select, " AND last_number"), condition(term.match)), term.name, row..., term.number);
  }

  Status add_newest(RunSet& set, Rows rows) {
    while (rows.next()) {
      if (found_.is_newest(rows.integer(0), rows.integer(1))) set.add(rows.integer(0));
    }
    return rows.status();
  }

  Result<RunSet> find_tag(const LabelTerm& term) {
    RunSet set;
    if (term.match == Match::kPresent) {
      ROOST_CHECK(add_rows(set, tx_.query("SELECT run FROM run_tag WHERE key = ?", term.name)));
    } else if (is_text_match(term.match)) {
      ROOST_CHECK(add_matching(set, term, tx_.query("SELECT run, value FROM run_tag WHERE key = ?", term.name)));
    } else {
      const std::string sql = with("SELECT run FROM run_tag WHERE key = ? AND value", condition(term.match));
      ROOST_CHECK(add_rows(set, tx_.query(sql, term.name, term.value)));
    }
    return set;
  }

  Result<RunSet> find_param(const LabelTerm& term) {
    RunSet set;
    if (term.match == Match::kPresent) {
      ROOST_CHECK(add_rows(set, tx_.query("SELECT run FROM run_param INDEXED BY run_param_by_name WHERE name = ?", term.name)));
    } else if (is_text_match(term.match)) {
      ROOST_CHECK(add_matching(set, term, tx_.query("SELECT run, value FROM run_param INDEXED BY run_param_by_name"
                                                    " WHERE name = ?", term.name)));
    } else if (term.number) {
      const std::string sql = with("SELECT run FROM run_param INDEXED BY run_param_by_name WHERE name = ? AND number",
                                   condition(term.match));
      ROOST_CHECK(add_rows(set, tx_.query(sql, term.name, *term.number)));
    } else {
      const std::string sql = with("SELECT run FROM run_param INDEXED BY run_param_by_name WHERE name = ? AND value",
                                   condition(term.match));
      ROOST_CHECK(add_rows(set, tx_.query(sql, term.name, term.value)));
    }
    return set;
  }

  Result<RunSet> find(const MomentTerm& term) {
    RunSet set;
    const char* sql = "SELECT seq FROM run INDEXED BY run_by_created WHERE workspace = ? AND created >= ? AND created < ?";
    if (term.moment == RunMoment::kStarted) {
      sql = "SELECT seq FROM run INDEXED BY run_facts WHERE workspace = ? AND started >= ? AND started < ?";
    } else if (term.moment == RunMoment::kEnded) {
      sql = "SELECT seq FROM run INDEXED BY run_facts WHERE workspace = ? AND ended >= ? AND ended < ?";
    }
    ROOST_CHECK(add_rows(set, tx_.query(sql, found_.workspace, term.from, term.before)));
    return set;
  }

  Result<RunSet> find(const SpanTerm& term) {
    if (term.span == RunSpan::kAge) return find(moment_of_age(term));
    RunSet set;
    const std::string sql = with(
        "SELECT seq FROM run INDEXED BY run_facts WHERE workspace = ? AND coalesce(ended, ?) - started", condition(term.match));
    ROOST_CHECK(add_rows(set, tx_.query(sql, found_.workspace, now_, term.length)));
    return set;
  }

  // Who is younger was created later.
  MomentTerm moment_of_age(const SpanTerm& term) const {
    MomentTerm moment{RunMoment::kCreated, INT64_MIN, INT64_MAX};
    const Micros then = now_ - term.length;
    if (term.match == Match::kLess) moment.from = then + 1;
    if (term.match == Match::kAtMost) moment.from = then;
    if (term.match == Match::kGreater) moment.before = then;
    if (term.match == Match::kAtLeast) moment.before = then + 1;
    return moment;
  }

  Result<RunSet> find(const KindTerm& term) {
    if (term.kind == RunKind::kAny) return all_;
    RunSet set;
    if (term.kind == RunKind::kArchived) {
      constexpr const char* sql = "SELECT seq FROM run INDEXED BY run_archived WHERE workspace = ? AND archived = 1";
      ROOST_CHECK(add_rows(set, tx_.query(sql, found_.workspace)));
      return set;
    }
    if (term.kind == RunKind::kDeleted) {
      constexpr const char* sql = "SELECT seq FROM run INDEXED BY run_in_bin WHERE workspace = ? AND deleted IS NOT NULL";
      ROOST_CHECK(add_rows(set, tx_.query(sql, found_.workspace)));
      return set;
    }
    // Children are mostly few, and this index has nothing but them. It has those of other workspaces too, which do no
    // harm: what is found is kept to this one in the end.
    ROOST_CHECK(add_rows(set, tx_.query("SELECT seq FROM run INDEXED BY run_by_parent WHERE parent IS NOT NULL")));
    if (term.kind == RunKind::kChild) return set;
    RunSet top = all_;
    top.remove(set);
    return top;
  }

  static bool is_any(const FactTerm& term, std::string_view folded) {
    return std::any_of(term.any.begin(), term.any.end(), [&](const std::string& value) {
      return term.part ? folded.find(value) != std::string_view::npos : folded == value;
    });
  }

  static Status add_rows(RunSet& set, Rows rows) {
    while (rows.next()) set.add(rows.integer(0));
    return rows.status();
  }

  static bool is_text_match(Match match) {
    return match == Match::kPart || match == Match::kLike || match == Match::kAnyCaseLike;
  }

  static Status add_matching(RunSet& set, const LabelTerm& term, Rows rows) {
    const std::string folded = fold_case(term.value);
    std::string scratch;
    while (rows.next()) {
      const bool fits = term.match == Match::kPart ? contains(rows.bytes(1), folded, scratch)
                                                   : is_match(rows.bytes(1), term.match, term.value, folded, scratch);
      if (fits) set.add(rows.integer(0));
    }
    return rows.status();
  }

  static bool is_match(std::string_view text, Match match, const std::string& value, const std::string& folded, std::string& scratch) {
    if (match == Match::kLike) return is_like(text, value);
    if (match != Match::kAnyCaseLike) return text == value;
    fold_case(text, scratch);
    return is_like(scratch, folded);
  }

  template <class Term>
  static bool is_any_match(std::string_view text, const Term& term, std::string& scratch) {
    return std::any_of(term.any.begin(), term.any.end(), [&](const std::string& value) {
      return is_match(text, term.match, value, term.match == Match::kAnyCaseLike ? fold_case(value) : value, scratch);
    });
  }

  // The runs of those experiments whose name is wanted.
  template <class Wanted>
  Result<RunSet> experiments(Wanted wanted) {
    std::vector<std::int64_t> ids;
    RunSet set;
    Rows rows = tx_.query("SELECT id, name FROM experiment WHERE workspace = ?", found_.workspace);
    while (rows.next()) {
      if (wanted(rows.bytes(1))) ids.push_back(rows.integer(0));
    }
    ROOST_CHECK(rows.status());
    for (const std::int64_t id : ids) {
      ROOST_CHECK(add_rows(set, tx_.query("SELECT seq FROM run INDEXED BY run_by_experiment WHERE experiment = ?", id)));
    }
    return set;
  }

  Tx& tx_;
  FoundRuns& found_;
  RunSet all_;
  RunNames names_;
  const Micros now_;
};

}  // namespace

Result<FoundRuns> search_runs(Tx& tx, const std::string& workspace, const RunQuery& query, Micros now) {
  FoundRuns found;
  found.workspace = workspace;
  Search search(tx, found, now);
  ROOST_CHECK(search.look(query));
  ROOST_TRY(found.runs, search.find(query.root));
  found.runs.keep(search.all());
  return found;
}

}  // namespace roost
