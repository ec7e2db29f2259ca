#include "registry/datasets.h"

#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"
#include "domain/run_spec.h"
#include "records/workspace_records.h"

namespace roost {

Json dataset_json(const Dataset& dataset) {
  return {{"name", dataset.name},
          {"version", dataset.version},
          {"id", dataset.id},
          {"kind", dataset.kind},
          {"definition", dataset.definition},
          {"description", dataset.description},
          {"tags", dataset.tags},
          {"created_at", format_time(dataset.created)}};
}

Result<NewDataset> parse_new_dataset(const Json& body) {
  JsonFields fields(body, "the dataset");
  NewDataset made;
  Dataset& dataset = made.dataset;
  dataset.name = fields.required_string("name");
  dataset.kind = fields.string("kind", dataset.kind);
  dataset.definition = fields.object_as_given("definition");
  dataset.description = fields.string("description");
  dataset.tags = fields.string_map("tags", true);
  made.create_new_version = fields.boolean("create_new_version", false);
  ROOST_CHECK(fields.done());
  ROOST_CHECK(check_dataset_name(dataset.name));
  ROOST_CHECK(check_labels(dataset.tags, "tags"));
  if (dataset.kind != "file" && dataset.kind != "tabular") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"kind\" is \"{}\"; it must be file or tabular", printable(dataset.kind)));
  }
  if (to_text(dataset.definition).size() > (4 << 20) || dataset.description.size() > 10'000) {
    return fail(ErrorCode::kTooLarge, "the definition of a dataset is at most 4 MiB, its description "
                                      "10,000 bytes");
  }
  return made;
}

Status register_dataset(Tx& tx, NewDataset& made, Micros now) {
  Dataset& dataset = made.dataset;
  if (auto newest = find_dataset(tx, dataset.workspace, dataset.name, std::nullopt)) {
    if (newest->definition == dataset.definition && newest->kind == dataset.kind) {
      dataset = std::move(*newest);
      return {};
    }
    if (!made.create_new_version) {
      return fail(ErrorCode::kAlreadyExists,
                  fmt::format("there is a dataset \"{}\" already; register with create_new_version=True "
                              "to make version {}",
                              dataset.name, newest->version + 1));
    }
    dataset.version = newest->version + 1;
  } else if (newest.error().code != ErrorCode::kNotFound) {
    return fail(newest.error());
  }
  dataset.created = now;
  dataset.id = new_guid();
  return insert_dataset(tx, dataset);
}

}  // namespace roost
