#include "cli/work/pages.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/show/run_text.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr std::size_t kPage = 1000;

std::string page_path(const std::string& path, std::size_t limit, const std::string& cursor) {
  std::string full = path + (path.find('?') == std::string::npos ? "?" : "&");
  full += fmt::format("limit={}", limit);
  if (!cursor.empty()) full += "&cursor=" + percent_encode(cursor);
  return full;
}

}  // namespace

Status each_item(ApiClient& client, const std::string& path,
                 const std::function<bool(const Json&)>& each) {
  std::string cursor;
  do {
    ROOST_TRY(const Json page, client.get(page_path(path, kPage, cursor)));
    for (const Json& item : child(page, "items")) {
      if (!each(item)) return {};
    }
    cursor = text_field(page, "next_cursor");
  } while (!cursor.empty());
  return {};
}

Result<Json> all_items(ApiClient& client, const std::string& path, std::size_t limit) {
  Json list = {{"items", Json::array()}, {"next_cursor", nullptr}};
  Json& items = list["items"];
  std::string cursor;
  do {
    const std::size_t wanted = limit == 0 ? kPage : std::min(kPage, limit - items.size());
    ROOST_TRY(Json page, client.get(page_path(path, wanted, cursor)));
    if (const auto found = page.find("items"); found != page.end() && found->is_array()) {
      for (Json& item : *found) items.push_back(std::move(item));
    }
    cursor = text_field(page, "next_cursor");
  } while (!cursor.empty() && (limit == 0 || items.size() < limit));
  if (!cursor.empty()) list["next_cursor"] = cursor;
  return list;
}

Result<Json> listed_runs(ApiClient& client, const std::string& path, std::size_t limit, bool archived) {
  Json list = {{"items", Json::array()}, {"next_cursor", nullptr}};
  Json& items = list["items"];
  std::string cursor;
  do {
    const std::size_t wanted = limit == 0 ? kPage : std::min(kPage, limit - items.size());
    ROOST_TRY(Json page, client.get(page_path(path, wanted, cursor)));
    for (const Json& run : child(page, "items")) {
      if ((child(run, "archived") == true) == archived) items.push_back(run);
    }
    cursor = text_field(page, "next_cursor");
  } while (!cursor.empty() && (limit == 0 || items.size() < limit));
  if (!cursor.empty()) list["next_cursor"] = cursor;
  return list;
}

}  // namespace roost
