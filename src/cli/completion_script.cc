#include "cli/completion_script.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr const char* kRuns = "roost runs -q -n 50";
constexpr const char* kComputes = "roost compute ls -q";
constexpr const char* kEnvironments = "roost env ls -q";
constexpr const char* kSweeps = "roost sweep ls -q";

// Every verb that is shown, by what is typed after the program's name ("compute create"; "" is the
// root).
void flatten(const VerbInfo& verb, const std::string& path,
             std::vector<std::pair<std::string, const VerbInfo*>>& out) {
  out.emplace_back(path, &verb);
  for (const auto& sub : verb.verbs) {
    if (!sub->hidden) flatten(*sub, path.empty() ? sub->name : path + " " + sub->name, out);
  }
}

std::string verb_names(const VerbInfo& verb) {
  std::string names;
  for (const auto& sub : verb.verbs) {
    if (!sub->hidden) names += (names.empty() ? "" : " ") + sub->name;
  }
  return names;
}

std::string option_names(const VerbInfo& verb) {
  std::string names;
  for (const OptionInfo& option : verb.options) {
    if (option.positional) continue;
    for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

// The command whose lines complete a verb's arguments, or "".
const char* argument_source(const std::string& path, const VerbInfo& verb) {
  if (path.starts_with("env ")) {
    return path == "env modernize" || path == "env prune" ? "" : kEnvironments;
  }
  for (const OptionInfo& option : verb.options) {
    if (!option.positional) continue;
    if (option.names.front() == "SWEEP") return kSweeps;
    if (option.names.front() == "RUN" || option.names.front() == "A" ||
        option.names.front() == "SNAPSHOT") {
      return kRuns;
    }
  }
  const bool names_compute =
      path == "compute show" || path == "compute update" || path == "compute rm";
  return names_compute ? kComputes : "";
}

// Options whose next word is their value, as alternatives of a shell pattern.
std::string value_options(const std::vector<std::pair<std::string, const VerbInfo*>>& verbs) {
  std::string pattern;
  for (const auto& [path, verb] : verbs) {
    for (const OptionInfo& option : verb->options) {
      if (option.positional || option.value.empty()) continue;
      for (const std::string& name : option.names) {
        if (("|" + pattern + "|").find("|" + name + "|") != std::string::npos) continue;
        pattern += (pattern.empty() ? "" : "|") + name;
      }
    }
  }
  return pattern;
}

// bash and zsh tell the verb by the same walk over the words typed so far.
std::string bash_script(const VerbInfo& root) {
  std::vector<std::pair<std::string, const VerbInfo*>> verbs;
  flatten(root, "", verbs);
  std::string cases;
  for (const auto& [path, verb] : verbs) {
    const std::string source = argument_source(path, *verb);
    cases += fmt::format("    '{}') verbs='{}' options='{}' source='{}' ;;\n", path,
                         verb_names(*verb), option_names(*verb), source);
  }
  std::string groups;
  for (const auto& sub : root.verbs) {
    if (!sub->hidden && !sub->verbs.empty()) groups += (groups.empty() ? "" : "|") + sub->name;
  }
  return fmt::format(R"sh(# bash completion of roost; use it with: source <(roost completion bash)
_roost() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} path='' word i skip=''
  local verbs='' options='' source=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    if [[ $word == -- ]]; then COMPREPLY=(); compopt -o default; return; fi
    if [[ -n $skip ]]; then skip=''; continue; fi
    case $word in
      {}) skip=1 ;;
      -*) ;;
      *) case $path in
           '') path=$word ;;
           {}) path="$path $word" ;;
         esac ;;
    esac
  done
  case $path in
{}  esac
  options="$options {} --help"
  if [[ $prev == --compute ]]; then
    COMPREPLY=($(compgen -W "$({} 2>/dev/null)" -- "$cur"))
  elif [[ $prev == --environment ]]; then
    COMPREPLY=($(compgen -W "$({} 2>/dev/null)" -- "$cur"))
  elif [[ -n $skip ]]; then
    COMPREPLY=(); compopt -o default
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ -n $verbs ]]; then
    COMPREPLY=($(compgen -W "$verbs" -- "$cur"))
  elif [[ -n $source ]]; then
    COMPREPLY=($(compgen -W "$($source 2>/dev/null)" -- "$cur"))
  else
    COMPREPLY=(); compopt -o default
  fi
}}
complete -F _roost roost
)sh",
                     value_options(verbs), groups, cases, option_names(root), kComputes,
                     kEnvironments);
}

std::string zsh_quote(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == ':') out += '\\';
    out += c;
  }
  return shell_quote(out);
}

std::string zsh_script(const VerbInfo& root) {
  std::vector<std::pair<std::string, const VerbInfo*>> verbs;
  flatten(root, "", verbs);
  std::string cases;
  for (const auto& [path, verb] : verbs) {
    cases += fmt::format("    '{}')\n      verbs=(", path);
    for (const auto& sub : verb->verbs) {
      if (!sub->hidden) cases += " " + zsh_quote(sub->name) + ":" + zsh_quote(sub->help);
    }
    cases += ")\n      options=(";
    for (const VerbInfo* place : {verb, &root}) {
      if (place == &root && verb == &root) continue;
      for (const OptionInfo& option : place->options) {
        if (option.positional) continue;
        for (const std::string& name : option.names) {
          cases += " " + zsh_quote(name) + ":" + zsh_quote(option.help);
        }
      }
    }
    cases += fmt::format(")\n      source='{}' ;;\n", argument_source(path, *verb));
  }
  std::string groups;
  for (const auto& sub : root.verbs) {
    if (!sub->hidden && !sub->verbs.empty()) groups += (groups.empty() ? "" : "|") + sub->name;
  }
  return fmt::format(R"sh(#compdef roost
# zsh completion of roost; put it in a folder of $fpath as _roost, or: source <(roost completion zsh)
_roost() {{
  local path_='' word source='' skip=''
  local -a verbs options found
  for word in ${{words[2,CURRENT-1]}}; do
    if [[ $word == -- ]]; then _files; return; fi
    if [[ -n $skip ]]; then skip=''; continue; fi
    case $word in
      {}) skip=1 ;;
      -*) ;;
      *) case $path_ in
           '') path_=$word ;;
           {}) path_="$path_ $word" ;;
         esac ;;
    esac
  done
  case $path_ in
{}  esac
  if [[ ${{words[CURRENT-1]}} == --compute ]]; then
    found=(${{(f)"$({} 2>/dev/null)"}}); compadd -a found
  elif [[ ${{words[CURRENT-1]}} == --environment ]]; then
    found=(${{(f)"$({} 2>/dev/null)"}}); compadd -a found
  elif [[ -n $skip ]]; then
    _files
  elif [[ ${{words[CURRENT]}} == -* ]]; then
    _describe option options
  elif (( ${{#verbs}} )); then
    _describe verb verbs
  elif [[ -n $source ]]; then
    found=(${{(f)"$(${{=source}} 2>/dev/null)"}}); compadd -a found
  else
    _files
  fi
}}
if [[ $funcstack[1] == _roost ]]; then _roost "$@"; else compdef _roost roost; fi
)sh",
                     value_options(verbs), groups, cases, kComputes, kEnvironments);
}

std::string fish_quote(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_script(const VerbInfo& root) {
  std::vector<std::pair<std::string, const VerbInfo*>> verbs;
  flatten(root, "", verbs);
  std::string out =
      "# fish completion of roost; use it with: roost completion fish | source\n"
      "function __roost_at\n"
      "  set -l words (commandline -opc)[2..-1]\n"
      "  set -l path (string match -v -- '-*' $words)\n"
      "  set -l want (string split ' ' -- $argv[1])\n"
      "  test -z \"$argv[1]\"; and begin; test (count $path) -eq 0; return; end\n"
      "  test \"$path[1..\"(count $want)\"]\" = \"$argv[1]\"\n"
      "end\n"
      "complete -c roost -f\n";
  for (const auto& [path, verb] : verbs) {
    const std::string at = fmt::format("complete -c roost -n \"__roost_at {}\"", fish_quote(path));
    for (const auto& sub : verb->verbs) {
      if (!sub->hidden)
        out += fmt::format("{} -a {} -d {}\n", at, sub->name, fish_quote(sub->help));
    }
    // The options of every verb have no condition.
    const std::string where = verb == &root ? "complete -c roost" : at;
    for (const OptionInfo& option : verb->options) {
      if (option.positional) continue;
      std::string names;
      for (const std::string& name : option.names) {
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      const std::string value = option.value.empty() ? ""
                                : option.names.back() == "--compute"
                                    ? fmt::format(" -x -a '({})'", kComputes)
                                : option.names.back() == "--environment"
                                    ? fmt::format(" -x -a '({})'", kEnvironments)
                                    : " -r";
      out += fmt::format("{}{}{} -d {}\n", where, names, value, fish_quote(option.help));
    }
    if (const std::string source = argument_source(path, *verb); !source.empty()) {
      out += fmt::format("{} -a '({} 2>/dev/null)'\n", at, source);
    }
  }
  return out;
}

}  // namespace

Result<std::string> completion_script(const VerbInfo& root, const std::string& shell) {
  if (shell == "bash") return bash_script(root);
  if (shell == "zsh") return zsh_script(root);
  if (shell == "fish") return fish_script(root);
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("no completion for \"{}\"; there is one for bash, zsh and fish",
                          printable(shell)));
}

}  // namespace roost
