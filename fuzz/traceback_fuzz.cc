// What scripts print is read for their failure: any bytes must do, and the answer must keep to its limits.
#include <cstdlib>
#include <string_view>

#include "domain/launcher_log.h"
#include "domain/root_cause.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto found = roost::last_traceback(text);
  if (found && (found->lines.size() > 62 || found->exception.empty())) std::abort();
  (void)roost::launcher_failure(text);
  roost::RankEnd end;
  end.exit_code = 1;
  end.output = std::string(text);
  roost::RankEnd other = end;
  other.rank = 1;
  other.stopped = true;
  const auto cause = roost::find_root_cause({end, other});
  if (!cause || cause->roles.size() != 2 || cause->message.empty()) std::abort();
  return 0;
}
