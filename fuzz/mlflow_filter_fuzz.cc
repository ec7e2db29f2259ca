// A filter of MLflow's clients: never a crash, and what is taken becomes a query.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mlflow/artifact_uri.h"
#include "mlflow/filter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roost::mlflow;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const FilterOf of :
       {FilterOf::kRuns, FilterOf::kExperiments, FilterOf::kModels, FilterOf::kVersions, FilterOf::kLoggedModels}) {
    const auto filter = parse_filter(text, of);
    if (filter && of == FilterOf::kRuns) (void)run_query(*filter);
    (void)parse_order({std::string(text)}, of);
  }
  (void)parse_source_uri(text);
  return 0;
}
