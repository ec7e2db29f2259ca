#include "server/data_id.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"

namespace roost {

Result<std::string> open_data_id(const std::filesystem::path& file, Database& db) {
  const std::string found(trim(read_file(file).value_or("")));
  std::string id;
  const Status kept = db.write([&](Tx& tx) -> Status {
    id.clear();
    {
      Rows rows = tx.query("SELECT value FROM fact WHERE name = 'data_id'");
      if (rows.next()) id = rows.text(0);
      ROOST_CHECK(rows.status());
    }
    if (!id.empty()) return {};
    id = found.empty() ? random_hex(16) : found;
    ROOST_CHECK(tx.run("INSERT INTO fact (name, value) VALUES ('data_id', ?)", id));
    return {};
  });
  if (!kept && kept.error().code != ErrorCode::kResourceExhausted) return fail(kept.error());
  if (found == id) return id;
  const Status written = write_file_atomic(file, id + "\n");
  if (!written && written.error().code != ErrorCode::kResourceExhausted) return fail(written.error());
  return id;
}

}  // namespace roost
