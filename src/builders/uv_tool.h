#pragma once

#include <string>

#include "builders/build_order.h"

namespace roost {

// The program uv: that of the settings, one on PATH that is new enough, or the one fetched by pip from the package
// index into the folder of tools, once. "" if there is none; then pip does its work. A fetch that
// failed is not tried again for some minutes.
std::string find_uv(const BuildSettings& settings, const BuildLog& log);

// A Python that has the distribution `name` in a folder of its own under the tools, fetched the same way.
std::string find_fetched_python(const BuildSettings& settings, const std::string& name, const BuildLog& log);

// Whether something that is fetched or asked for did not answer in the last minutes: then it is not tried again.
bool failed_lately(const BuildSettings& settings, const std::string& what);
void note_failed(const BuildSettings& settings, const std::string& what, std::string_view why);

}  // namespace roost
