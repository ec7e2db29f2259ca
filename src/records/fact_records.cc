#include "records/fact_records.h"

namespace roost {

Result<std::string> find_fact(Tx& tx, std::string_view name) {
  Rows rows = tx.query("SELECT value FROM fact WHERE name = ?", name);
  std::string value = rows.next() ? rows.text(0) : "";
  ROOST_CHECK(rows.status());
  return value;
}

Status insert_fact(Tx& tx, std::string_view name, std::string_view value) {
  ROOST_CHECK(tx.run("INSERT INTO fact (name, value) VALUES (?, ?)", name, value));
  return {};
}

Status replace_fact(Tx& tx, std::string_view name, std::string_view value) {
  ROOST_CHECK(tx.run("INSERT OR REPLACE INTO fact (name, value) VALUES (?, ?)", name, value));
  return {};
}

}  // namespace roost
