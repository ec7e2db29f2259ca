#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace roost {

// The last part of a path.
std::string file_name(std::string_view path);

// The Content-Disposition that makes a browser keep an answer as the file `name`.
std::string attachment(std::string_view name);

// Obeys "show" in the query: inline, with the media type that the path tells, or download. Whatever a run left behind is
// shown in a sandbox without scripts, so that no output can act for the user who looks at it.
Status show_in_browser(const Request& request, const std::string& path, Response& response);

}  // namespace roost
