#include "cli/show/model_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/fact_list.h"
#include "cli/show/run_text.h"
#include "cli/show/times.h"

namespace roost {
namespace {

std::string size_text(const Json& object) {
  const Json& size = child(object, "size");
  return size.is_number_unsigned() ? human_bytes(size.get<std::uint64_t>()) : "";
}

std::string framework_text(const Json& model) {
  const std::string version = text_field(model, "framework_version");
  return text_field(model, "framework") + (version.empty() ? "" : " " + version);
}

std::string created_text(const Json& model, Micros now) {
  const auto created = time_field(model, "created_at");
  return created ? time_ago(*created, now) : "";
}

TextTable file_table(const Json& entries) {
  TextTable table({{"SIZE", true}, {"PATH", false, true}});
  for (const Json& entry : entries) {
    const std::string link = text_field(entry, "link");
    table.add({{size_text(entry), Tone::kDim},
               text_field(entry, "path") + (link.empty() ? "" : " -> " + link)});
  }
  return table;
}

}  // namespace

std::string model_size_text(const Json& model) {
  const std::string files = text_field(model, "files");
  return fmt::format("{} file{}, {}", files, files == "1" ? "" : "s", size_text(model));
}

TextTable model_table(const Json& models, Micros now) {
  TextTable table({{"MODEL"},
                   {"FRAMEWORK"},
                   {"SIZE", true},
                   {"CREATED"},
                   {"RUN", false, true, true},
                   {"TAGS", false, true}});
  for (const Json& model : models) {
    table.add({{text_field(model, "id"), Tone::kBold},
               framework_text(model),
               size_text(model),
               {created_text(model, now), Tone::kDim},
               text_field(model, "run"),
               tags_text(child(model, "tags"))});
  }
  return table;
}

std::string model_page(const Json& model, const Json& entries, Micros now, const Style& style,
                       int width) {
  FactList facts;
  facts.add("description", text_field(model, "description"));
  facts.add("framework", framework_text(model));
  facts.add("created", created_text(model, now));
  facts.add("by", text_field(model, "created_by"));
  facts.add("run", text_field(model, "run"));
  facts.add("experiment", text_field(model, "experiment"));
  facts.add("tags", tags_text(child(model, "tags")));
  facts.add("properties", tags_text(child(model, "properties")));
  for (const Json& dataset : child(model, "datasets")) {
    const std::string scenario = text_field(dataset, "scenario");
    facts.add("dataset",
              fmt::format("{} {}{}", text_field(dataset, "name"), text_field(dataset, "version"),
                          scenario.empty() ? "" : " (" + scenario + ")"));
  }
  facts.add("content", text_field(model, "content"));
  facts.add("size", model_size_text(model));
  return style(Tone::kBold, text_field(model, "id")) + "\n" + facts.text(style, 2) + "\n" +
         file_table(entries).text(style, width);
}

std::string exported_text(const Json& model, const Style& style) {
  const Json& facts = child(model, "properties");
  const std::string difference = text_field(facts, "largest_difference");
  FactList list;
  list.add("from", text_field(facts, "exported_from") + ", a " + text_field(facts, "source_kind"));
  list.add("inputs", text_field(facts, "inputs"));
  list.add("outputs", text_field(facts, "outputs"));
  list.add("exporter", fmt::format("{}, opset {}", text_field(facts, "exporter"), text_field(facts, "opset")));
  list.add("compared", text_field(facts, "compared_with"));
  if (!difference.empty()) {
    list.add("difference", fmt::format("{} at most, relative {}", difference, text_field(facts, "relative_difference")));
  }
  list.add("files", model_size_text(model));
  return list.text(style, 2);
}

}  // namespace roost
