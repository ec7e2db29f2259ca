#include "net/router.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace roost {
namespace {

using Part = Router::Part;

std::vector<Part> parse_pattern(const std::string& pattern) {
  if (pattern.empty() || pattern[0] != '/')
    die("a route's pattern must start with '/': " + pattern);
  std::vector<Part> parts;
  for (const std::string& text : split(std::string_view(pattern).substr(1), '/')) {
    if (!parts.empty() && parts.back().kind == Part::kRest) {
      die("a route's {name...} must be its last part: " + pattern);
    }
    if (text.size() < 3 || text.front() != '{' || text.back() != '}') {
      parts.push_back({Part::kLiteral, text});
    } else if (text.ends_with("...}")) {
      parts.push_back({Part::kRest, text.substr(1, text.size() - 5)});
    } else {
      parts.push_back({Part::kParameter, text.substr(1, text.size() - 2)});
    }
  }
  return parts;
}

bool same_shape(const std::vector<Part>& a, const std::vector<Part>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Part& x, const Part& y) {
    return x.kind == y.kind && (x.kind != Part::kLiteral || x.text == y.text);
  });
}

// A literal beats a parameter, a parameter beats the rest; the first difference decides.
bool more_specific(const std::vector<Part>& a, const std::vector<Part>& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](const Part& x, const Part& y) { return x.kind < y.kind; });
}

bool fits(const std::vector<Part>& pattern, const std::vector<std::string>& path) {
  const bool takes_rest = pattern.back().kind == Part::kRest;
  if (takes_rest ? path.size() < pattern.size() : path.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    switch (pattern[i].kind) {
      case Part::kLiteral:
        if (pattern[i].text != path[i]) return false;
        break;
      case Part::kParameter:
        if (path[i].empty()) return false;
        break;
      case Part::kRest:
        return path.size() > i + 1 || !path[i].empty();
    }
  }
  return true;
}

std::map<std::string, std::string> parameters_of(const std::vector<Part>& pattern,
                                                 const std::vector<std::string>& path) {
  std::map<std::string, std::string> parameters;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i].kind == Part::kLiteral) continue;
    std::string value = path[i];
    if (pattern[i].kind == Part::kRest) {
      for (std::size_t j = i + 1; j < path.size(); ++j) value += "/" + path[j];
    }
    parameters[pattern[i].text] = std::move(value);
  }
  return parameters;
}

std::optional<std::vector<std::string>> decoded_parts(std::string_view raw_path) {
  if (raw_path.empty() || raw_path[0] != '/') return std::nullopt;
  std::vector<std::string> parts;
  parts.reserve(8);
  raw_path.remove_prefix(1);
  for (;;) {
    const std::size_t slash = raw_path.find('/');
    if (!percent_decode(raw_path.substr(0, slash), parts.emplace_back())) return std::nullopt;
    if (slash == std::string_view::npos) return parts;
    raw_path.remove_prefix(slash + 1);
  }
}

}  // namespace

void Router::add(Route route) {
  std::vector<Part> pattern = parse_pattern(route.pattern);
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (routes_[i].method == route.method && same_shape(patterns_[i], pattern)) {
      die("two routes for " + route.method + " " + route.pattern);
    }
  }
  routes_.push_back(std::move(route));
  patterns_.push_back(std::move(pattern));
}

Router::Match Router::find(std::string_view method, std::string_view raw_path) const {
  Match match;
  const auto path = decoded_parts(raw_path);
  if (!path) return match;
  std::optional<std::size_t> best;
  std::optional<std::size_t> catch_all;
  std::vector<std::string> caught;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (!fits(patterns_[i], *path)) continue;
    const std::string& offered = routes_[i].method;
    const bool has_method = offered == method || (method == "HEAD" && offered == "GET");
    if (patterns_[i].size() == 1 && patterns_[i][0].kind == Part::kRest) {
      if (has_method && (!catch_all || offered == method)) catch_all = i;
      caught.push_back(offered);
      continue;
    }
    match.allowed.push_back(offered);
    if (offered == "GET") match.allowed.push_back("HEAD");
    if (!has_method) continue;
    const bool own_head_route = best && offered == method && routes_[*best].method != method;
    if (!best || own_head_route || more_specific(patterns_[i], patterns_[*best])) best = i;
  }
  if (match.allowed.empty()) {
    best = catch_all;
    // One of GET alone is a page for who lost the way: there is nothing at that path.
    if (caught.size() > 1) match.allowed = std::move(caught);
  }
  if (best) {
    match.route = &routes_[*best];
    match.parameters = parameters_of(patterns_[*best], *path);
    match.allowed.clear();
  } else {
    std::sort(match.allowed.begin(), match.allowed.end());
    match.allowed.erase(std::unique(match.allowed.begin(), match.allowed.end()),
                        match.allowed.end());
  }
  return match;
}

bool percent_decode(std::string_view text, std::string& out, bool plus_is_space) {
  const auto hex = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  out.clear();
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return false;
      const int high = hex(text[i + 1]);
      const int low = hex(text[i + 2]);
      if (high < 0 || low < 0) return false;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return true;
}

std::string percent_encode(std::string_view text, bool keep_slash) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~' || (keep_slash && c == '/');
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

}  // namespace roost
