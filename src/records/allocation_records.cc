#include "records/allocation_records.h"

#include <array>

#include <fmt/format.h>

namespace roost {
namespace {

constexpr std::array<std::string_view, 4> kStates = {"new", "submitted", "used", "ending"};

#define ROOST_ALLOCATION_COLUMNS                                                                  \
  "name, idx, run, workspace, compute, nodes, state, job, phase, reason, attempt, created, changed," \
  " listed, expected"

AllocationState state_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kStates.size(); ++i) {
    if (kStates[i] == name) return static_cast<AllocationState>(i);
  }
  return AllocationState::kEnding;
}

Result<std::vector<Allocation>> read_all(Rows rows) {
  std::vector<Allocation> all;
  while (rows.next()) {
    Allocation one;
    one.name = rows.text(0);
    one.index = rows.integer(1);
    one.run = rows.integer(2);
    one.workspace = rows.text(3);
    one.compute = rows.text(4);
    one.nodes = rows.integer(5);
    one.state = state_from_name(rows.bytes(6));
    one.job = rows.text(7);
    one.phase = rows.text(8);
    one.reason = rows.text(9);
    one.attempt = rows.integer(10);
    one.created = rows.integer(11);
    one.changed = rows.integer(12);
    one.listed = rows.integer(13);
    one.expected = rows.maybe_integer(14);
    all.push_back(std::move(one));
  }
  ROOST_CHECK(rows.status());
  return all;
}

Result<std::optional<Allocation>> first_of(Rows rows) {
  ROOST_TRY(auto all, read_all(std::move(rows)));
  if (all.empty()) return std::optional<Allocation>();
  return std::optional(std::move(all.front()));
}

}  // namespace

std::string Allocation::key() const { return fmt::format("{}/{}", name, index); }

Status insert_allocation(Tx& tx, const Allocation& one, std::string_view token_hash) {
  ROOST_CHECK(tx.run("INSERT INTO allocation (" ROOST_ALLOCATION_COLUMNS
                     ", token_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     one.name, one.index, one.run, one.workspace, one.compute, one.nodes,
                     kStates[static_cast<std::size_t>(one.state)], one.job, one.phase, one.reason, one.attempt, one.created,
                     one.changed, one.listed, one.expected, token_hash));
  return {};
}

Status save_allocation(Tx& tx, const Allocation& one) {
  ROOST_CHECK(tx.run("UPDATE allocation SET state = ?, job = ?, phase = ?, reason = ?, attempt = ?, changed = ?,"
                     " listed = ?, expected = ? WHERE name = ? AND idx = ?",
                     kStates[static_cast<std::size_t>(one.state)], one.job, one.phase, one.reason, one.attempt, one.changed,
                     one.listed, one.expected, one.name, one.index));
  return {};
}

Status remove_allocation(Tx& tx, const Allocation& one) {
  ROOST_CHECK(tx.run("DELETE FROM allocation WHERE name = ? AND idx = ?", one.name, one.index));
  return {};
}

Result<std::optional<Allocation>> find_allocation(Tx& tx, std::string_view name, std::int64_t index) {
  return first_of(tx.query("SELECT " ROOST_ALLOCATION_COLUMNS " FROM allocation WHERE name = ? AND idx = ?", name, index));
}

Result<std::optional<Allocation>> allocation_of_run(Tx& tx, std::int64_t run) {
  return first_of(tx.query("SELECT " ROOST_ALLOCATION_COLUMNS
                           " FROM allocation WHERE run = ? AND state != 'ending' ORDER BY created DESC LIMIT 1", run));
}

Result<std::vector<Allocation>> list_allocations(Tx& tx) {
  return read_all(tx.query("SELECT " ROOST_ALLOCATION_COLUMNS " FROM allocation ORDER BY created, name, idx"));
}

Result<std::optional<std::string>> allocation_for_token(Tx& tx, std::string_view token_hash) {
  Rows rows = tx.query("SELECT name FROM allocation WHERE token_hash = ? LIMIT 1", token_hash);
  if (rows.next()) return std::optional(rows.text(0));
  ROOST_CHECK(rows.status());
  return std::optional<std::string>();
}

}  // namespace roost
