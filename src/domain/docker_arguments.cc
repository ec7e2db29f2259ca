#include "domain/docker_arguments.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/names.h"

namespace roost {
namespace {

// With a value of their own as the next word, unless it is joined by '='.
constexpr std::array<std::string_view, 15> kTakeValue = {
    "--memory", "-m", "--cpus", "--shm-size", "--network", "--net", "--ipc", "--gpus",
    "--runtime", "-e", "--env", "-v", "--volume", "--ulimit", "--memory-swap"};
// These every run has: the network of the machine, its GPUs, shared memory of its own.
constexpr std::array<std::string_view, 9> kGiven = {"--network", "--net", "--ipc", "--gpus", "--runtime",
                                                    "--rm", "-it", "-i", "-t"};

template <class List>
bool has(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

Status take(DockerArguments& out, const std::string& name, const std::string& value) {
  const auto refuse = [&](const char* example) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the docker argument {} of the environment is \"{}\"; it must be like {}", name,
                            printable(value), example));
  };
  if (name == "--memory" || name == "-m") {
    const auto size = parse_size(value);
    if (!size) return refuse("2g or 512m");
    out.memory = *size;
  } else if (name == "--cpus") {
    double cpus = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), cpus);
    if (error != std::errc() || end != value.data() + value.size() || !(cpus >= 0.01 && cpus <= 100'000)) {
      return refuse("1.5");
    }
    out.cpus = cpus;
  } else if (name == "--shm-size") {
    if (!parse_size(value)) return refuse("2g or 512m");
    out.shm_size = value;
  } else if ((name == "-e" || name == "--env") && value.find('=') != std::string::npos) {
    const std::string variable = value.substr(0, value.find('='));
    ROOST_CHECK(check_variable_name(variable));
    out.variables[variable] = value.substr(variable.size() + 1);
  } else if (!has(kGiven, name)) {
    out.no_effect.push_back(name);
  }
  return {};
}

Status take_all(DockerArguments& out, const Json& arguments) {
  std::vector<std::string> words;
  for (const auto& item : arguments) {
    if (!item.is_string()) {
      return fail(ErrorCode::kInvalidArgument, "a docker argument of the environment is " + to_text(item) + ", not text");
    }
    // People write both ["--memory", "2g"] and ["--memory 2g"].
    for (const auto& word : split(item.get<std::string>(), ' ')) {
      if (!word.empty()) words.push_back(word);
    }
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) continue;  // the value of an option that is not known here
    const auto equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    std::string value = equals == std::string::npos ? "" : words[i].substr(equals + 1);
    if (equals == std::string::npos && has(kTakeValue, name) && i + 1 < words.size()) value = words[++i];
    ROOST_CHECK(take(out, name, value));
  }
  return {};
}

}  // namespace

Result<DockerArguments> docker_arguments(const Json& definition, const Json& of_run) {
  DockerArguments out;
  const Json docker = definition.is_object() ? member(definition, "docker") : Json();
  if (docker.is_object()) {
    if (const auto it = docker.find("shmSize"); it != docker.end() && it->is_string()) out.shm_size = *it;
    ROOST_CHECK(take_all(out, array_at(docker, "arguments")));
  }
  if (of_run.is_object()) {
    if (const std::string size = text_at(of_run, "shm_size"); !size.empty()) ROOST_CHECK(take(out, "--shm-size", size));
    ROOST_CHECK(take_all(out, array_at(of_run, "arguments")));
  }
  return out;
}

bool asks_for_shared_memory(const DockerArguments& asked) {
  const auto size = parse_size(asked.shm_size);
  return size && *size != parse_size("2g");
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc() || value == 0) return std::nullopt;
  int shift = 0;
  if (!unit.empty()) {
    switch (std::tolower(static_cast<unsigned char>(unit.front()))) {
      case 'b': shift = 0; break;
      case 'k': shift = 10; break;
      case 'm': shift = 20; break;
      case 'g': shift = 30; break;
      default: return std::nullopt;
    }
    unit.remove_prefix(1);
    if (!unit.empty() && unit != "b" && unit != "B") return std::nullopt;
  }
  if (value > (1ULL << 50 >> shift)) return std::nullopt;
  return value << shift;
}

}  // namespace roost
