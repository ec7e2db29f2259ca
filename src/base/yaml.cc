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

constexpr int kDeepest = 64;  // also ends the walk through an alias of what it is part of

Json node_json(const YAML::Node& node, int depth = 0) {
  if (depth > kDeepest) throw YAML::Exception(node.Mark(), "nested too deeply");
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return scalar_json(node);
    case YAML::NodeType::Sequence: {
      Json out = Json::array();
      for (const auto& item : node) out.push_back(node_json(item, depth + 1));
      return out;
    }
    case YAML::NodeType::Map: {
      Json out = Json::object();
      for (const auto& item : node) out[item.first.Scalar()] = node_json(item.second, depth + 1);
      return out;
    }
    default:
      return nullptr;
  }
}

void collect_keys(const YAML::Node& node, const std::string& path, std::vector<YamlKey>& out,
                  int depth = 0) {
  if (depth > kDeepest) throw YAML::Exception(node.Mark(), "nested too deeply");
  if (!path.empty()) out.push_back({path, node.Mark().line + 1});
  std::size_t index = 0;
  if (node.IsSequence()) {
    for (const auto& item : node) collect_keys(item, fmt::format("{}/{}", path, index++), out, depth + 1);
  } else if (node.IsMap()) {
    for (const auto& item : node) {
      const std::size_t at = out.size();
      collect_keys(item.second, path + "/" + item.first.Scalar(), out, depth + 1);
      out[at].line = item.first.Mark().line + 1;  // a value may begin below its key
    }
  }
}

tl::unexpected<Error> refusal(const YAML::Exception& e, std::string_view what) {
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}, line {}: {}", what, e.mark.line + 1, e.msg));
}

}  // namespace

Result<Json> parse_yaml(std::string_view text, std::string_view what) {
  try {
    return node_json(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& e) {
    return refusal(e, what);
  }
}

Result<std::vector<YamlKey>> yaml_keys(std::string_view text, std::string_view what) {
  try {
    std::vector<YamlKey> keys;
    collect_keys(YAML::Load(std::string(text)), "", keys);
    return keys;
  } catch (const YAML::Exception& e) {
    return refusal(e, what);
  }
}

}  // namespace roost
