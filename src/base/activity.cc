#include "base/activity.h"

#include <utility>

namespace roost {
namespace {

thread_local std::string current;

}  // namespace

Activity::Activity(std::string name) : before_(std::exchange(current, std::move(name))) {}
Activity::~Activity() { current = std::move(before_); }

std::string_view current_activity() { return current.empty() ? "something without a name" : std::string_view(current); }

}  // namespace roost
