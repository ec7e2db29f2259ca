#include "base/yaml.h"

#include <charconv>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace roost {
namespace {

Json scalar_json(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // quoted
  if (text == "~" || text == "null" || text.empty()) return nullptr;
  if (text == "true") return true;
  if (text == "false") return false;
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto [at, error] = std::from_chars(text.data(), end, whole);
      error == std::errc() && at == end) {
    return whole;
  }
  double number = 0;
  const bool numeric = text.find_first_not_of("+-0123456789.eE") == std::string::npos;
  if (const auto [at, error] = std::from_chars(text.data(), end, number);
      numeric && error == std::errc() && at == end) {
    return number;
  }
  return text;
}

Json node_json(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return scalar_json(node);
    case YAML::NodeType::Sequence: {
      Json out = Json::array();
      for (const auto& item : node) out.push_back(node_json(item));
      return out;
    }
    case YAML::NodeType::Map: {
      Json out = Json::object();
      for (const auto& item : node) out[item.first.Scalar()] = node_json(item.second);
      return out;
    }
    default:
      return nullptr;
  }
}

}  // namespace

Result<Json> parse_yaml(std::string_view text, std::string_view what) {
  try {
    return node_json(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& e) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}, line {}: {}", what, e.mark.line + 1, e.msg));
  }
}

}  // namespace roost
