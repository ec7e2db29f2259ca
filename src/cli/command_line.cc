#include "cli/command_line.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/help.h"
#include "cli/show/style.h"
#include "cli/suggest.h"

namespace roost {

struct Verb::Parser {
  std::unique_ptr<CLI::App> owned;  // of the root only; CLI11 owns the others
  CLI::App* app = nullptr;
  VerbInfo* info = nullptr;
  std::unique_ptr<VerbInfo> owned_info;
  std::vector<std::unique_ptr<Verb>> verbs;
  std::vector<std::string>* command = nullptr;
  Action action;
};

namespace {

OptionInfo option_info(const std::string& names, const std::string& value,
                       const std::string& help) {
  OptionInfo info;
  info.names = split(names, ',');
  info.value = value;
  info.help = help;
  return info;
}

OptionInfo positional_info(const std::string& name, const std::string& help, bool required) {
  OptionInfo info = option_info(name, name, help);
  info.positional = true;
  info.required = required;
  return info;
}

void prepare(CLI::App& app) {
  app.set_help_flag("-h,--help");
  app.fallthrough();
  app.require_subcommand(0, 1);
}

}  // namespace

Verb::Verb(std::unique_ptr<Parser> parser) : parser_(std::move(parser)) { prepare(*parser_->app); }
Verb::~Verb() = default;

const VerbInfo& Verb::info() const { return *parser_->info; }

Verb& Verb::verb(const std::string& name, const std::string& help) {
  auto info = std::make_unique<VerbInfo>();
  info->name = name;
  info->path = parser_->info->path + " " + name;
  info->help = help;
  auto parser = std::make_unique<Parser>();
  parser->app = parser_->app->add_subcommand(name, help);
  parser->info = info.get();
  parser_->info->verbs.push_back(std::move(info));
  parser_->verbs.push_back(std::make_unique<Verb>(std::move(parser)));
  return *parser_->verbs.back();
}

Verb& Verb::option(const std::string& names, std::string& target, const std::string& value,
                   const std::string& help) {
  parser_->app->add_option(names, target);
  parser_->info->options.push_back(option_info(names, value, help));
  return *this;
}

Verb& Verb::option(const std::string& names, std::int64_t& target, const std::string& value,
                   const std::string& help) {
  parser_->app->add_option(names, target);
  parser_->info->options.push_back(option_info(names, value, help));
  return *this;
}

Verb& Verb::option(const std::string& names, std::optional<std::int64_t>& target,
                   const std::string& value, const std::string& help) {
  parser_->app->add_option_function<std::int64_t>(names, [&target](std::int64_t v) { target = v; });
  parser_->info->options.push_back(option_info(names, value, help));
  return *this;
}

Verb& Verb::option(const std::string& names, std::vector<std::string>& target,
                   const std::string& value, const std::string& help) {
  parser_->app->add_option(names, target)->allow_extra_args(false);
  parser_->info->options.push_back(option_info(names, value, help));
  parser_->info->options.back().repeated = true;
  return *this;
}

Verb& Verb::flag(const std::string& names, bool& target, const std::string& help) {
  parser_->app->add_flag(names, target);
  parser_->info->options.push_back(option_info(names, "", help));
  return *this;
}

Verb& Verb::required_option(const std::string& names, std::string& target, const std::string& value,
                            const std::string& help) {
  parser_->app->add_option(names, target)->required();
  parser_->info->options.push_back(option_info(names, value, help));
  parser_->info->options.back().required = true;
  return *this;
}

Verb& Verb::argument(const std::string& name, std::string& target, const std::string& help) {
  parser_->app->add_option(name, target)->required();
  parser_->info->options.push_back(positional_info(name, help, true));
  return *this;
}

Verb& Verb::optional_argument(const std::string& name, std::string& target,
                              const std::string& help) {
  parser_->app->add_option(name, target);
  parser_->info->options.push_back(positional_info(name, help, false));
  return *this;
}

Verb& Verb::arguments(const std::string& name, std::vector<std::string>& target,
                      const std::string& help) {
  parser_->app->add_option(name, target)->required();
  parser_->info->options.push_back(positional_info(name, help, true));
  parser_->info->options.back().repeated = true;
  return *this;
}

Verb& Verb::optional_arguments(const std::string& name, std::vector<std::string>& target,
                               const std::string& help) {
  parser_->app->add_option(name, target);
  parser_->info->options.push_back(positional_info(name, help, false));
  parser_->info->options.back().repeated = true;
  return *this;
}

Verb& Verb::command(std::vector<std::string>& target, const std::string& help) {
  parser_->command = &target;
  parser_->info->takes_command = true;
  parser_->info->options.push_back(positional_info("COMMAND", help, true));
  return *this;
}

Verb& Verb::group(const std::string& name) {
  parser_->info->group = name;
  return *this;
}

Verb& Verb::details(const std::string& text) {
  parser_->info->details = text;
  return *this;
}

Verb& Verb::example(const std::string& command) {
  parser_->info->examples.push_back(command);
  return *this;
}

Verb& Verb::hidden() {
  parser_->info->hidden = true;
  return *this;
}

Verb& Verb::ends_as_run() {
  parser_->info->ends_as_run = true;
  return *this;
}

Verb& Verb::action(Action action) {
  parser_->action = std::move(action);
  return *this;
}

CommandLine::CommandLine(const std::string& program, const std::string& help,
                         const std::string& version) {
  auto parser = std::make_unique<Verb::Parser>();
  parser->owned = std::make_unique<CLI::App>(help, program);
  parser->app = parser->owned.get();
  parser->app->set_version_flag("--version", program + " " + version);
  parser->owned_info = std::make_unique<VerbInfo>();
  parser->info = parser->owned_info.get();
  parser->info->name = parser->info->path = program;
  parser->info->help = help;
  root_ = std::make_unique<Verb>(std::move(parser));
}

CommandLine::~CommandLine() = default;

namespace {

int own_exit_code(ErrorCode code, const VerbInfo& verb) { return exit_code(code) + (verb.ends_as_run ? kOwnErrors : 0); }

}  // namespace

int CommandLine::wrong_call(const std::string& message, const VerbInfo& verb) {
  std::fprintf(stderr, "roost: %s\nTry `%s --help`.\n", message.c_str(), verb.path.c_str());
  return own_exit_code(ErrorCode::kInvalidArgument, verb);
}

namespace {

// The options of any verb below, with the verb that has each.
void collect_options(const VerbInfo& verb, std::vector<std::string>& names, std::vector<std::string>& paths) {
  for (const auto& sub : verb.verbs) {
    if (sub->hidden) continue;
    for (const OptionInfo& option : sub->options) {
      if (option.positional) continue;
      for (const std::string& name : option.names) {
        names.push_back(name);
        paths.push_back(sub->path);
      }
    }
    collect_options(*sub, names, paths);
  }
}

// " `roost sweep add` has --script" for an option that another verb has, or has nearly.
std::string option_elsewhere(const std::string& word, const VerbInfo& root) {
  std::vector<std::string> names;
  std::vector<std::string> paths;
  collect_options(root, names, paths);
  const std::string nearest = nearest_word(word, names);
  if (nearest.empty()) return "";
  const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), nearest) - names.begin());
  return fmt::format("; `{}` has {}", paths[place], nearest);
}

// The words left over were either a verb nobody knows or an option the chosen verb does not have.
std::string unexpected_words(const std::vector<std::string>& words, const VerbInfo& verb,
                             const VerbInfo& root) {
  if (words.empty()) return "wrong arguments";
  std::string word = words.front();
  const bool is_option = word.size() > 1 && word.front() == '-';
  if (is_option) word = word.substr(0, word.find('='));
  std::string message;
  if (is_option) {
    message = fmt::format("`{}` has no option {}", verb.path, printable(word));
  } else if (!verb.verbs.empty()) {
    message = fmt::format("there is no verb `{} {}`", verb.path, printable(word));
  } else if (verb.takes_command) {
    return fmt::format("unexpected {}: put the command to run after --, as in `{} ... -- {}`",
                       printable(word), verb.path, printable(word));
  } else {
    return fmt::format("`{}` takes no further argument {}", verb.path, printable(word));
  }
  std::vector<std::string> known;
  if (is_option) {
    for (const VerbInfo* place : {&verb, &root}) {
      for (const OptionInfo& option : place->options) {
        if (!option.positional) known.insert(known.end(), option.names.begin(), option.names.end());
      }
    }
  } else {
    for (const auto& sub : verb.verbs) {
      if (!sub->hidden) known.push_back(sub->name);
    }
  }
  const std::string nearest = nearest_word(word, known);
  if (!nearest.empty()) return message + fmt::format("; did you mean `{}`?", nearest);
  return is_option && word.size() > 2 ? message + option_elsewhere(word, root) : message;
}

}  // namespace

int CommandLine::run(int argc, const char* const* argv, const std::function<bool(int)>& colour,
                     const std::function<Status()>& check) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::vector<std::string> rest;
  bool has_rest = false;
  if (const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
      dashes != arguments.end()) {
    has_rest = true;
    rest.assign(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them

  // The verb the words lead to, also when they are wrong further on.
  const auto chosen = [this]() {
    Verb* verb = root_.get();
    for (bool deeper = true; deeper;) {
      deeper = false;
      for (const auto& sub : verb->parser_->verbs) {
        if (sub->parser_->app->parsed()) {
          verb = sub.get();
          deeper = true;
          break;
        }
      }
    }
    return verb;
  };
  try {
    root_->parser_->app->parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    std::fputs(help_text(chosen()->info(), info(), colour(1), terminal_width(1)).c_str(), stdout);
    return 0;
  } catch (const CLI::CallForVersion& call) {
    std::printf("%s\n", call.what());
    return 0;
  } catch (const CLI::ExtrasError&) {
    Verb* verb = chosen();
    auto words = root_->parser_->app->remaining(true);
    return wrong_call(unexpected_words(words, verb->info(), info()), verb->info());
  } catch (const CLI::RequiredError& error) {
    // A misspelt option is the likely reason why another one is missing.
    Verb* verb = chosen();
    const auto words = root_->parser_->app->remaining(true);
    if (!words.empty() && words.front().starts_with('-')) {
      return wrong_call(unexpected_words(words, verb->info(), info()), verb->info());
    }
    return wrong_call(error.what(), verb->info());
  } catch (const CLI::ParseError& error) {
    return wrong_call(error.what(), chosen()->info());
  }

  Verb* verb = chosen();
  if (verb->parser_->command) {
    *verb->parser_->command = std::move(rest);
  } else if (has_rest && !rest.empty()) {
    return wrong_call(fmt::format("`{}` takes nothing after --", verb->info().path), verb->info());
  }
  if (!verb->parser_->action) {
    if (verb == root_.get()) {
      std::fputs(help_text(info(), info(), colour(1), terminal_width(1)).c_str(), stdout);
      return 0;
    }
    std::fputs(help_text(verb->info(), info(), colour(2), terminal_width(2)).c_str(), stderr);
    return exit_code(ErrorCode::kInvalidArgument);
  }
  const Status good = check();
  const Result<int> done = good ? verb->parser_->action() : Result<int>(tl::unexpected(good.error()));
  std::fflush(stdout);
  if (done) return *done;
  std::fprintf(stderr, "roost: %s\n", done.error().message.c_str());
  return own_exit_code(done.error().code, verb->info());
}

}  // namespace roost
