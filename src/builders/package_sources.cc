#include "builders/package_sources.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "builders/pip_install.h"
#include "builders/requirement.h"

namespace roost {
namespace {

constexpr int kReadSeconds = 120;  // a slow index may say nothing for long; each read counts anew
constexpr int kRetries = 8;

// 'a\nb' -> "a b": pip prints values as Python does.
std::string unquoted(std::string_view value) {
  value = trim(value);
  if (value.size() >= 2 && (value.front() == '\'' || value.front() == '"')) value = value.substr(1, value.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\' && i + 1 < value.size()) {
      ++i;
      text += value[i] == 'n' ? ' ' : value[i];
    } else {
      text += value[i];
    }
  }
  return text;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const auto& word : split(text, ' ')) {
    if (!trim(word).empty()) words.emplace_back(trim(word));
  }
  return words;
}

using Options = std::map<std::string, std::string>;

// Those that count for installing; variables go before files.
Options read_config(std::string_view config) {
  Options options;
  for (const std::string_view section : {"global.", "install.", ":env:."}) {
    for (const auto& line : split(config, '\n')) {
      const auto equals = line.find('=');
      if (equals == std::string::npos || !line.starts_with(section)) continue;
      options[line.substr(section.size(), equals - section.size())] = unquoted(line.substr(equals + 1));
    }
  }
  return options;
}

bool is_true(const Options& options, const char* name) {
  const auto it = options.find(name);
  return it != options.end() && (it->second == "1" || lower(it->second) == "true" || lower(it->second) == "yes");
}

class Sources {
 public:
  Sources(const BuildSettings& settings, const Options& config) : config_(config) {
    std::string index = settings.index_url.empty() ? value("index-url") : settings.index_url;
    bool no_index = settings.offline || is_true(config, "no-index");
    if (no_index) found_.uv.emplace_back("--no-index");
    found_.has_index = !no_index;
    found_.own_index = !index.empty();
    if (!index.empty() && !no_index) found_.uv.insert(found_.uv.end(), {"--index-url", index});
    if (!no_index) each("extra-index-url", "--extra-index-url");
    each("find-links", "--find-links");
    each("trusted-host", "--allow-insecure-host");
    if (!settings.wheels.empty()) found_.uv.insert(found_.uv.end(), {"--find-links", settings.wheels});
    if (is_true(config, "pre")) found_.uv.insert(found_.uv.end(), {"--prerelease", "allow"});
    found_.pip = pip_sources(settings);
    variables(settings);
  }

  void add(const std::string& line) {
    if (!line.starts_with('-')) {
      found_.requirements.push_back(line);
      if (parse_requirement(line).is_url) found_.only_names = false;
      return;
    }
    std::vector<std::string> words = words_of(line);
    if (const auto equals = words[0].find('='); words[0].starts_with("--") && equals != std::string::npos) {
      words.insert(words.begin() + 1, words[0].substr(equals + 1));
      words[0].resize(equals);
    }
    found_.pip.insert(found_.pip.end(), words.begin(), words.end());
    const std::string& name = words[0];
    const std::string text = words.size() > 1 ? words[1] : "";
    const bool is_remote = text.starts_with("http://") || text.starts_with("https://");
    if (!is_remote && name != "--pre" && name != "--no-index" && name != "--trusted-host" && !name.ends_with("-binary")) {
      found_.only_names = false;
    }
    if (name == "--pre") {
      found_.uv.insert(found_.uv.end(), {"--prerelease", "allow"});
    } else if (name == "--no-index") {
      found_.uv.emplace_back(name);
      found_.has_index = false;
    } else if (name == "--trusted-host") {
      found_.uv.insert(found_.uv.end(), {"--allow-insecure-host", text});
    } else if (name == "-i" || name == "--index-url") {
      // A second one is refused by uv; the definition's goes before the operator's.
      const auto old = std::find(found_.uv.begin(), found_.uv.end(), "--index-url");
      if (old != found_.uv.end()) found_.uv.erase(old, old + 2);
      found_.uv.insert(found_.uv.end(), {"--index-url", text});
      found_.own_index = true;
    } else if (name == "-f" || name == "--find-links" || name == "--extra-index-url") {
      found_.uv.insert(found_.uv.end(), {name == "-f" ? "--find-links" : name, text});
    } else if (name == "--no-binary" || name == "--only-binary") {
      found_.uv.insert(found_.uv.end(), {name, text});
    }
  }

  PackageSources take() { return std::move(found_); }

 private:
  std::string value(const std::string& name) const {
    const auto it = config_.find(name);
    return it == config_.end() ? "" : it->second;
  }

  void each(const char* name, const char* word) {
    for (const auto& one : words_of(value(name))) found_.uv.insert(found_.uv.end(), {word, one});
  }

  void variables(const BuildSettings& settings) {
    found_.variables = pip_variables();
    if (!settings.cache.empty()) {
      found_.variables["PIP_CACHE_DIR"] = settings.cache + "/pip";
      found_.variables["UV_CACHE_DIR"] = settings.cache + "/uv";
    }
    const auto seconds = [&](const char* name) { return std::atoi(value(name).c_str()); };
    const int timeout = std::max({kReadSeconds, seconds("timeout"), seconds("default-timeout")});
    const int retries = std::max(kRetries, seconds("retries"));
    found_.variables["PIP_DEFAULT_TIMEOUT"] = found_.variables["PIP_TIMEOUT"] = std::to_string(timeout);
    found_.variables["UV_HTTP_TIMEOUT"] = std::to_string(timeout);
    found_.variables["PIP_RETRIES"] = found_.variables["UV_HTTP_RETRIES"] = std::to_string(retries);
    found_.variables["PIP_RESUME_RETRIES"] = std::to_string(retries);  // pip 25.1 goes on where it was cut off
    found_.variables["UV_PYTHON_DOWNLOADS"] = "never";
    if (const std::string cert = value("cert"); !cert.empty()) found_.variables["SSL_CERT_FILE"] = cert;
    if (const std::string cert = value("client-cert"); !cert.empty()) found_.variables["SSL_CLIENT_CERT"] = cert;
    if (const std::string proxy = value("proxy"); !proxy.empty()) {
      for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}) found_.variables[name] = proxy;
    }
  }

  const Options& config_;
  PackageSources found_;
};

}  // namespace

void prepare_program(ProgramRun& run, const PackageSources& sources, bool trusted) {
  run.variables = sources.variables;
  if (trusted || !sources.hidden) return;
  run.hidden = sources.hidden;
  for (const auto& [name, value] : sources.confined) run.variables[name] = value;
}

PackageSources package_sources(const BuildSettings& settings, const std::vector<std::string>& lines,
                               std::string_view config) {
  const Options options = read_config(config);
  Sources sources(settings, options);
  for (const auto& line : lines) sources.add(line);
  return sources.take();
}

}  // namespace roost
