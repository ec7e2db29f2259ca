#include "cli/completion_script.h"

#include <map>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

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

// What the words at an option or argument are, as `roost complete KIND` lists them; "" for files and what is free.
std::string kind_of(const std::string& path, const OptionInfo& option) {
  static const std::map<std::string, std::string> kByOption = {
      {"--compute", "computes"},   {"--environment", "environments"}, {"--experiment", "experiments"}, {"--status", "statuses"},
      {"--context", "contexts"},   {"--workspace", "workspaces"},     {"--run", "runs"},               {"--parent", "runs"},
      {"--output", "forms"},       {"--vm-size", "vm-sizes"},         {"--pins", "pins"}};
  static const std::map<std::string, std::string> kByArgument = {
      {"RUN", "runs"},         {"A", "runs"},         {"B", "runs"},         {"SNAPSHOT", "runs"}, {"RUN|COMPUTE", "runs"},
      {"SWEEP", "sweeps"},     {"CONTEXT", "contexts"}, {"SETTING", "settings"}, {"VERB", "verbs"},  {"SHELL", "shells"},
      {"MODEL", "models"},     {"MODEL:VERSION", "models"}, {"ENDPOINT", "endpoints"}};
  if (!option.positional) {
    if (option.value.empty() || option.value == "DIR" || option.value == "FILE") return "";
    for (const std::string& name : option.names) {
      if (const auto known = kByOption.find(name); known != kByOption.end()) return known->second;
    }
    return "";
  }
  const std::string& name = option.names.front();
  if (const auto known = kByArgument.find(name); known != kByArgument.end()) return known->second;
  if (path == "artifacts get" && name == "PATH") return "artifacts";
  // "NAME" is of what the verb is about; what is made new has a name that nobody knows.
  static const std::map<std::string, std::string> kByVerb = {
      {"env", "environments"}, {"compute", "computes"}, {"model", "models"}, {"endpoints", "endpoints"}, {"workspace", "workspaces"}};
  const std::string group = path.substr(0, path.find(' '));
  const bool makes_new = path.ends_with(" create") || path.ends_with(" attach") || path.ends_with(" register");
  const auto about = kByVerb.find(group);
  const bool is_name = name == "NAME" || name == "OTHER" || name == "DIGEST";
  return is_name && !makes_new && about != kByVerb.end() ? about->second : "";
}

// The kinds of a verb's arguments in their order, "-" for what is free; the last one's is repeated with "..." behind it.
std::string argument_kinds(const std::string& path, const VerbInfo& verb) {
  std::string kinds;
  for (const OptionInfo& option : verb.options) {
    if (!option.positional || option.names.front() == "COMMAND") continue;
    const std::string kind = kind_of(path, option);
    kinds += (kinds.empty() ? "" : " ") + (kind.empty() ? "-" : kind) + (option.repeated ? "..." : "");
  }
  return kinds;
}

// "--compute=computes -c=computes" of the verb and of every verb.
std::string option_kinds(const std::string& path, const VerbInfo& verb, const VerbInfo& root) {
  std::string pairs;
  for (const VerbInfo* place : {&verb, &root}) {
    if (place == &root && &verb == &root) continue;
    for (const OptionInfo& option : place->options) {
      const std::string kind = option.positional ? "" : kind_of(path, option);
      if (kind.empty()) continue;
      for (const std::string& name : option.names) {
        if ((" " + pairs).find(" " + name + "=") == std::string::npos) pairs += (pairs.empty() ? "" : " ") + name + "=" + kind;
      }
    }
  }
  return pairs;
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

// The verbs that have verbs below them, as alternatives of a shell pattern.
std::string group_names(const VerbInfo& root) {
  std::string groups;
  for (const auto& sub : root.verbs) {
    if (!sub->hidden && !sub->verbs.empty()) groups += (groups.empty() ? "" : "|") + sub->name;
  }
  return groups;
}

// bash and zsh tell the verb by the same walk over the words typed so far.
std::string bash_script(const VerbInfo& root) {
  std::vector<std::pair<std::string, const VerbInfo*>> verbs;
  flatten(root, "", verbs);
  std::string cases;
  for (const auto& [path, verb] : verbs) {
    cases += fmt::format("    '{}') verbs='{}' options='{}' kinds='{}' values='{}' ;;\n", path, verb_names(*verb), option_names(*verb),
                         argument_kinds(path, *verb), option_kinds(path, *verb, root));
  }
  return fmt::format(R"sh(# bash completion of roost; use it with: source <(roost completion bash)
_roost_words() {{ COMPREPLY=($(compgen -W "$(roost complete "$@" 2>/dev/null)" -- "$cur")); }}
_roost() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} path='' word i skip='' given=() pair kind=''
  local verbs='' options='' kinds='' values=''
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
           *) given+=("$word") ;;
         esac ;;
    esac
  done
  case $path in
{}  esac
  options="$options {} --help"
  for pair in $values; do [[ -n $skip && $prev == "${{pair%=*}}" ]] && kind=${{pair##*=}}; done
  if [[ -z $skip && -z $kind ]]; then
    i=0
    for word in $kinds; do
      if (( i == ${{#given[@]}} )) || [[ $word == *... ]]; then kind=${{word%...}}; break; fi
      ((i++))
    done
  fi
  if [[ -n $skip ]]; then
    if [[ -n $kind ]]; then _roost_words "$kind"; else COMPREPLY=(); compopt -o default; fi
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ -n $verbs ]]; then
    COMPREPLY=($(compgen -W "$verbs" -- "$cur"))
  elif [[ -n $kind && $kind != - ]]; then
    _roost_words "$kind" "${{given[0]}}"
  else
    COMPREPLY=(); compopt -o default
  fi
}}
complete -F _roost roost
)sh",
                     value_options(verbs), group_names(root), cases, option_names(root));
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
    cases += fmt::format(")\n      kinds=({}) values=({}) ;;\n", argument_kinds(path, *verb), option_kinds(path, *verb, root));
  }
  return fmt::format(R"sh(#compdef roost
# zsh completion of roost; put it in a folder of $fpath as _roost, or: source <(roost completion zsh)
_roost() {{
  local path_='' word skip='' kind='' pair
  local -a verbs options found kinds values given
  for word in ${{words[2,CURRENT-1]}}; do
    if [[ $word == -- ]]; then _files; return; fi
    if [[ -n $skip ]]; then skip=''; continue; fi
    case $word in
      {}) skip=1 ;;
      -*) ;;
      *) case $path_ in
           '') path_=$word ;;
           {}) path_="$path_ $word" ;;
           *) given+=($word) ;;
         esac ;;
    esac
  done
  case $path_ in
{}  esac
  for pair in $values; do [[ -n $skip && ${{words[CURRENT-1]}} == ${{pair%=*}} ]] && kind=${{pair##*=}}; done
  if [[ -z $skip ]]; then
    local -i i=0
    for word in $kinds; do
      if (( i == ${{#given}} )) || [[ $word == *... ]]; then kind=${{word%...}}; break; fi
      i+=1
    done
  fi
  if [[ -z $skip && ${{words[CURRENT]}} == -* ]]; then
    _describe option options
  elif [[ -z $skip ]] && (( ${{#verbs}} )); then
    _describe verb verbs
  elif [[ -n $kind && $kind != - ]]; then
    found=(${{(f)"$(roost complete $kind ${{given[1]}} 2>/dev/null)"}}); compadd -a found
  else
    _files
  fi
}}
if [[ $funcstack[1] == _roost ]]; then _roost "$@"; else compdef _roost roost; fi
)sh",
                     value_options(verbs), group_names(root), cases);
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
      const std::string kind = kind_of(path, option);
      const std::string value = option.value.empty() ? ""
                                : kind.empty()       ? " -r -F"
                                                     : fmt::format(" -x -a '(roost complete {} 2>/dev/null)'", kind);
      out += fmt::format("{}{}{} -d {}\n", where, names, value, fish_quote(option.help));
    }
    for (const OptionInfo& option : verb->options) {
      const std::string kind = option.positional ? kind_of(path, option) : "";
      if (!kind.empty()) out += fmt::format("{} -a '(roost complete {} (commandline -opc)[-1] 2>/dev/null)'\n", at, kind);
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
