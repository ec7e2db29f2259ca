#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace roost {

// How an answer is printed: for people, or for programs by --output.
struct OutputForm {
  enum Kind { kText, kJson, kCsv, kTemplate };
  Kind kind = kText;
  std::string pattern;  // of kTemplate
};

// "json", "csv", "template=..."; anything else, and a template whose braces are not closed, is refused with what there is.
Result<OutputForm> parse_output_form(std::string_view text);

// A document of the API in that form; kText is JSON, too. A list ({"items": [...]}) becomes a row or a filled-in pattern
// for each item, anything else one. Columns of CSV are the fields; those of an object in the field "tags" are "tags.lr".
// In a pattern {{.tags.lr}} stands for a field, "" if there is none, and \n and \t for line end and tab.
std::string output_text(const OutputForm& form, const Json& document);

}  // namespace roost
