#include <algorithm>
#include <iterator>

#include "records/attempt_records.h"
#include "records/compute_records.h"
#include "records/workspace_records.h"
#include "schedule/compute_queue.h"
#include "schedule/explain_room.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

Json time_or_null(const std::optional<Micros>& time) {
  return time ? Json(format_time(*time)) : Json();
}

Json entry_json(const QueueEntry& entry) {
  return {{"run", entry.id},
          {"experiment", entry.experiment},
          {"display_name", entry.display_name},
          {"user", entry.user},
          {"compute", entry.compute},
          {"nodes", entry.nodes},
          {"priority", entry.priority},
          {"status", status_name(entry.status)},
          {"waiting_since", nullptr},
          {"position", nullptr},
          {"reason", nullptr},
          {"estimated_start_at", nullptr},
          {"estimate_basis", nullptr},
          {"started_at", nullptr},
          {"estimated_end_at", nullptr},
          {"node_names", Json::array()},
          {"provider", nullptr}};
}

Result<Json> waiter_json(Tx& tx, const ComputeQueue::Waiter& waiter) {
  Json item = entry_json(waiter.entry);
  const WaitEstimate& estimate = waiter.estimate;
  ROOST_TRY(const auto since, waiting_since(tx, waiter.entry.seq));
  item["waiting_since"] = time_or_null(since);
  item["position"] = or_null(estimate.position);
  item["reason"] = estimate.reason;
  item["estimated_start_at"] = time_or_null(estimate.start_at);
  if (!estimate.basis.empty()) item["estimate_basis"] = estimate.basis;
  item["provider"] = estimate.facts;
  return item;
}

Result<Json> holder_json(Tx& tx, const ComputeQueue::Holder& holder) {
  Json item = entry_json(holder.entry);
  ROOST_TRY(item["node_names"], nodes_of_run(tx, holder.entry.seq, holder.entry.attempt));
  if (holder.is_staged) {
    item["started_at"] = time_or_null(holder.entry.started);
  } else {
    item["reason"] = "its nodes are getting its code and data";
  }
  item["estimated_end_at"] = time_or_null(holder.likely_end);
  return item;
}

struct QueueFilter {
  std::string workspace;
  std::string compute;
  std::string user;
  std::string run;
  bool running = false;
  std::int64_t limit = 50;
  std::int64_t skip = 0;  // the cursor

  bool wants(const QueueEntry& entry) const {
    return (user.empty() || entry.user == user) && (run.empty() || entry.id == run);
  }
};

Result<QueueFilter> filter_from(const Request& request, const Principal& who) {
  QueueFilter filter;
  filter.workspace = request.parameters.at("workspace");
  filter.compute = text_query(request, "compute");
  filter.user = text_query(request, "user");
  filter.run = text_query(request, "run");
  ROOST_TRY(filter.running, flag_query(request, "running"));
  ROOST_TRY(const bool mine, flag_query(request, "mine"));
  if (mine) filter.user = who.name;
  ROOST_TRY(filter.limit, integer_query(request, "limit", 50, 1, 1000));
  ROOST_TRY(filter.skip, integer_query(request, "cursor", 0, 0, INT64_MAX));
  return filter;
}

// One page of a list of which only the items on it are made.
class Page {
 public:
  explicit Page(const QueueFilter& filter) : skip_(filter.skip), limit_(filter.limit) {}

  // True if the next item lies on the page.
  bool takes_next() {
    const std::int64_t at = seen_++;
    return at >= skip_ && at < skip_ + limit_;
  }
  Json json() && {
    const bool more = seen_ > skip_ + limit_;
    return {{"items", std::move(items)}, {"next_cursor", more ? Json(std::to_string(skip_ + limit_)) : Json()}};
  }

  Json items = Json::array();

 private:
  std::int64_t skip_;
  std::int64_t limit_;
  std::int64_t seen_ = 0;
};

Status add_compute(Tx& tx, const QueueFilter& filter, const ComputeQueue& queue, Page& page) {
  for (const auto& holder : queue.holders) {
    if (!filter.wants(holder.entry) || (holder.is_staged && !filter.running)) continue;
    if (!page.takes_next()) continue;
    ROOST_TRY(Json item, holder_json(tx, holder));
    page.items.push_back(std::move(item));
  }
  for (const auto& waiter : queue.waiting) {
    if (!filter.wants(waiter.entry) || !page.takes_next()) continue;
    ROOST_TRY(Json item, waiter_json(tx, waiter));
    page.items.push_back(std::move(item));
  }
  return {};
}

Result<Response> list_queue(App& app, const Request& request, const Principal& who) {
  ROOST_TRY(const QueueFilter filter, filter_from(request, who));
  Page page(filter);
  const ExplainQueue explain = [&](Tx& tx, const Compute& compute, std::vector<WaitEstimate>& waits) {
    const ComputeEngine& engine = app.engines->of(compute);
    if (engine.has_own_queue()) return engine.explain(tx, compute, waits);
    return explain_room(tx, compute, app.inventory, waits);
  };
  ROOST_CHECK(app.db->read([&](Tx& tx) -> Status {
    ROOST_CHECK(find_workspace(tx, filter.workspace));
    std::vector<Compute> computes;
    if (filter.compute.empty()) {
      ROOST_TRY(computes, list_computes(tx, filter.workspace));
    } else {
      ROOST_TRY(Compute compute, find_compute(tx, filter.workspace, filter.compute));
      computes.push_back(std::move(compute));
    }
    ROOST_TRY(auto entries, queue_entries(tx, filter.workspace, filter.compute));
    EarlierLengths lengths(tx);
    auto at = entries.begin();
    for (const auto& compute : computes) {
      // Both are in the order of the computes' names.
      at = std::find_if(at, entries.end(), [&](const auto& entry) { return entry.compute >= compute.name; });
      const auto end =
          std::find_if(at, entries.end(), [&](const auto& entry) { return entry.compute != compute.name; });
      std::vector<QueueEntry> own(std::make_move_iterator(at), std::make_move_iterator(end));
      at = end;
      ROOST_TRY(const auto queue, read_compute_queue(tx, compute, std::move(own), lengths, explain, app.clock.now()));
      ROOST_CHECK(add_compute(tx, filter, queue, page));
    }
    return {};
  }));
  return json_response(std::move(page).json());
}

}  // namespace

void add_queue_routes(Router& router, App& app) {
  add_operation(router, app, "GET", "/api/v1/workspaces/{workspace}/queue", "list_queue",
                Need::kReader, [&app](Request& request, const Principal& who) {
                  return list_queue(app, request, who);
                });
}

}  // namespace roost
