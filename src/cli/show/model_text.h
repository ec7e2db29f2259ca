#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "cli/show/style.h"
#include "cli/show/table.h"

namespace roost {

TextTable model_table(const Json& models, Micros now);

// All facts of one version of a model and its files; `entries` are those of its manifest.
std::string model_page(const Json& model, const Json& entries, Micros now, const Style& style,
                       int width);

std::string model_size_text(const Json& model);  // "2 files, 44 MB"

// What an export has made of it, in a few lines: what it came from, its shapes, how far it is from the original.
std::string exported_text(const Json& model, const Style& style);

}  // namespace roost
