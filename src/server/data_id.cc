#include "server/data_id.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "records/fact_records.h"

namespace roost {
namespace {

constexpr const char* kFact = "data_id";

}  // namespace

Result<std::string> open_data_id(const std::filesystem::path& file, Database& db) {
  const std::string found(trim(read_file(file).value_or("")));
  std::string id;
  const Status kept = db.write([&](Tx& tx) -> Status {
    id.clear();
    ROOST_TRY(id, find_fact(tx, kFact));
    if (!id.empty()) return {};
    id = found.empty() ? random_hex(16) : found;
    return insert_fact(tx, kFact, id);
  });
  if (!kept && kept.error().code != ErrorCode::kResourceExhausted) return fail(kept.error());
  if (found == id) return id;
  const Status written = write_file_atomic(file, id + "\n");
  if (!written && written.error().code != ErrorCode::kResourceExhausted) return fail(written.error());
  return id;
}

}  // namespace roost
