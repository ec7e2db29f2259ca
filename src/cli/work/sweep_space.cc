#include "cli/work/sweep_space.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/plot.h"
#include "cli/show/run_text.h"

namespace roost {
namespace {

// What the values of an expression are; the words are used in refusals.
struct Form {
  const char* name;
  const char* values;
  std::size_t count;  // 0 for any number of options
  bool bounds;        // the first two are the least and the greatest
  bool logarithmic;
};
constexpr std::array<Form, 10> kForms = {{{"choice", "[options...]", 0, false, false},
                                          {"randint", "[upper]", 1, false, false},
                                          {"uniform", "[min, max]", 2, true, false},
                                          {"loguniform", "[min, max]", 2, true, true},
                                          {"normal", "[mu, sigma]", 2, false, false},
                                          {"lognormal", "[mu, sigma]", 2, false, false},
                                          {"quniform", "[min, max, q]", 3, true, false},
                                          {"qloguniform", "[min, max, q]", 3, true, true},
                                          {"qnormal", "[mu, sigma, q]", 3, false, false},
                                          {"qlognormal", "[mu, sigma, q]", 3, false, false}}};

std::vector<std::string> form_names() {
  std::vector<std::string> names;
  for (const Form& form : kForms) names.emplace_back(form.name);
  return names;
}

const Form* find_form(const std::string& name) {
  const auto form = std::find_if(kForms.begin(), kForms.end(), [&](const Form& one) { return name == one.name; });
  return form == kForms.end() ? nullptr : &*form;
}

bool is_scalar(const Json& value) {
  return value.is_string() || value.is_number() || value.is_boolean();
}

Json as_list(const Json& value) { return value.is_array() ? value : Json::array({value}); }

Status check_numbers(const YamlDocument& file, const std::string& path, const Form& form,
                     const Json& values) {
  const auto wrong = [&](const std::string& text) { return file.wrong(path, text); };
  const bool numbers = std::all_of(values.begin(), values.end(), [](const Json& v) { return v.is_number(); });
  if (values.size() != form.count || !numbers) {
    return wrong(fmt::format("{} takes {}, all of them numbers", form.name, form.values));
  }
  if (std::string_view(form.name) == "randint") {
    if (values[0].is_number_integer() && values[0].get<std::int64_t>() >= 1) return {};
    return wrong("randint takes a whole number of 1 or more; values are drawn below it");
  }
  if (form.bounds && values[0].get<double>() >= values[1].get<double>()) {
    return wrong(fmt::format("{} is not below {}; write the least value first", to_text(values[0]),
                             to_text(values[1])));
  }
  if (!form.bounds && values[1].get<double>() <= 0) return wrong("sigma must be above 0");
  if (form.count == 3 && values[2].get<double>() <= 0) return wrong("q, the step, must be above 0");
  return {};
}

Status check_values(const YamlDocument& file, const std::string& path, const Form& form,
                    const Json& values) {
  if (form.count != 0) return check_numbers(file, path, form, values);
  if (values.empty()) return file.wrong(path, "a choice needs at least one option");
  for (const Json& value : values) {
    if (!is_scalar(value)) {
      return file.wrong(path, "options are words, numbers, true or false; quote what is a list or empty");
    }
    if (std::count(values.begin(), values.end(), value) > 1) {
      return file.wrong(path, fmt::format("{} is there twice", printable(to_text(value))));
    }
  }
  return {};
}

// "when" as the API has it, of {name, values} or {other: value or values}.
Result<Json> read_condition(const YamlDocument& file, const std::string& path, const Json& when) {
  const char* advice = "write it like when: {optimizer: [sgd, adam]}";
  if (!when.is_object()) return file.wrong(path, advice);
  Json condition;
  if (when.size() == 2 && when.contains("name") && when.contains("values")) {
    condition = {{"name", when["name"]}, {"values", as_list(when["values"])}};
  } else if (when.size() == 1) {
    condition = {{"name", when.begin().key()}, {"values", as_list(when.begin().value())}};
  } else {
    return file.wrong(path, advice);
  }
  const Json& values = condition["values"];
  if (!condition["name"].is_string() || values.empty() || !std::all_of(values.begin(), values.end(), is_scalar)) {
    return file.wrong(path, advice);
  }
  return condition;
}

Result<Json> read_listed(const YamlDocument& file, const std::string& path, const Json& entry,
                         std::vector<std::string>& notes) {
  if (!entry.is_object()) return file.wrong(path, "write {name: lr, expression: uniform, values: [0.1, 0.9]}");
  ROOST_CHECK(file.expect_only(path, entry, {"name", "expression", "values", "when"}));
  const std::string name = text_field(entry, "name");
  if (!child(entry, "name").is_string() || name.empty()) return file.wrong(path + "/name", "names no parameter");
  const std::string expression = text_field(entry, "expression");
  const Form* form = find_form(expression);
  if (!form) {
    return file.wrong(path + "/expression", fmt::format("\"{}\" is none of {}", printable(expression),
                                                        fmt::join(form_names(), ", ")));
  }
  if (child(entry, "values").is_null()) {
    return file.wrong(path + "/values", fmt::format("{} takes {}", form->name, form->values));
  }
  const Json values = as_list(entry["values"]);
  ROOST_CHECK(check_values(file, path + "/values", *form, values));
  if (form->logarithmic && values[0].get<double>() > 0 && values[1].get<double>() <= 1) {
    notes.push_back(fmt::format("{}: the list form of {} takes natural logarithms, so {} is drawn between {} and {}; "
                                "`{}: {{{}: [{}, {}]}}` takes the bounds themselves",
                                file.name, form->name, printable(name), short_number(std::exp(values[0].get<double>())),
                                short_number(std::exp(values[1].get<double>())), printable(name), form->name,
                                to_text(values[0]), to_text(values[1])));
  }
  Json dimension = {{"name", name}, {"expression", form->name}, {"values", values}};
  if (const Json& when = child(entry, "when"); !when.is_null()) {
    ROOST_TRY(dimension["when"], read_condition(file, path + "/when", when));
  }
  return dimension;
}

Result<Json> read_short(const YamlDocument& file, const std::string& path, const std::string& name,
                        const Json& entry) {
  if (entry.is_array()) {
    ROOST_CHECK(check_values(file, path, kForms[0], entry));
    return Json{{"name", name}, {"expression", "choice"}, {"values", entry}};
  }
  if (!entry.is_object()) {
    return file.wrong(path, "write how it is drawn, like {uniform: [0.1, 0.9]}, or a list to choose from; "
                            "what is always the same belongs in arguments");
  }
  std::vector<std::string> known = form_names();
  known.emplace_back("when");
  ROOST_CHECK(file.expect_only(path, entry, known));
  if (entry.size() != (entry.contains("when") ? 2U : 1U)) {
    return file.wrong(path, "says more or less than one way to draw it; write one, like {uniform: [0.1, 0.9]}");
  }
  const auto drawn = entry.begin().key() == "when" ? std::next(entry.begin()) : entry.begin();
  const Form& form = *find_form(drawn.key());
  const std::string place = path + "/" + drawn.key();
  Json values = as_list(drawn.value());
  ROOST_CHECK(check_values(file, place, form, values));
  if (form.logarithmic) {
    if (values[0].get<double>() <= 0) return file.wrong(place, "both bounds must be above 0, as there is no logarithm of 0");
    for (std::size_t i = 0; i < 2; ++i) values[i] = std::log(values[i].get<double>());
  }
  Json dimension = {{"name", name}, {"expression", form.name}, {"values", std::move(values)}};
  if (entry.contains("when")) {
    ROOST_TRY(dimension["when"], read_condition(file, path + "/when", entry["when"]));
  }
  return dimension;
}

std::string without_dashes(const std::string& name) {
  const std::size_t start = name.find_first_not_of('-');
  return start == std::string::npos ? name : name.substr(start);
}

const Json* find_dimension(const Json& space, const std::string& name) {
  for (const Json& dimension : space) {
    if (without_dashes(text_field(dimension, "name")) == without_dashes(name)) return &dimension;
  }
  return nullptr;
}

// Names are unique, and conditions ask for choices that come earlier.
Status check_together(const YamlDocument& file, const std::string& path, Json& space) {
  Json earlier = Json::array();
  for (Json& dimension : space) {
    const std::string name = text_field(dimension, "name");
    if (find_dimension(earlier, name)) return file.wrong(path, fmt::format("\"{}\" is there twice", printable(name)));
    if (dimension.contains("when")) {
      Json& when = dimension["when"];
      const std::string other = text_field(when, "name");
      const Json* asked = find_dimension(earlier, other);
      if (!asked || text_field(*asked, "expression") != "choice") {
        return file.wrong(path, fmt::format("\"{}\" depends on \"{}\", which is no choice that stands before it",
                                            printable(name), printable(other)));
      }
      when["name"] = child(*asked, "name");
      const Json& options = child(*asked, "values");
      for (const Json& value : when["values"]) {
        if (std::find(options.begin(), options.end(), value) != options.end()) continue;
        return file.wrong(path, fmt::format("\"{}\" depends on \"{}\" being {}, which is none of its options {}",
                                            printable(name), printable(other), printable(to_text(value)),
                                            printable(to_text(options))));
      }
    }
    earlier.push_back(dimension);
  }
  return {};
}

// What was typed, as the number, truth or option it stands for.
Result<Json> typed_value(const Json& dimension, const std::string& text) {
  if (text_field(dimension, "expression") != "choice") {
    const auto parsed = parse_yaml(text, "the value");
    if (parsed && parsed->is_number()) return *parsed;
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}=\"{}\" must be a number", text_field(dimension, "name"),
                                                         printable(text)));
  }
  const Json& options = child(dimension, "values");
  for (const Json& option : options) {
    if (value_text(option) == text) return option;
  }
  // 1e-3 for an option 0.001 is the same number.
  const auto parsed = parse_yaml(text, "the value");
  if (parsed && is_scalar(*parsed)) {
    const auto same = std::find(options.begin(), options.end(), *parsed);
    return same == options.end() ? *parsed : *same;
  }
  return Json(text);
}

bool applies(const Json& dimension, const Json& parameters) {
  const Json& when = child(dimension, "when");
  if (when.is_null()) return true;
  const Json& value = child(parameters, text_field(when, "name").c_str());
  const Json& wanted = child(when, "values");
  return std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

}  // namespace

Result<Json> read_sweep_space(const YamlDocument& file, const std::string& path, const Json& space,
                              std::vector<std::string>& notes) {
  if ((!space.is_array() && !space.is_object()) || space.empty()) {
    return file.wrong(path, "has no parameters; write lines like `lr: {loguniform: [1e-4, 1e-1]}` below it");
  }
  Json dimensions = Json::array();
  if (space.is_array()) {
    for (std::size_t i = 0; i < space.size(); ++i) {
      ROOST_TRY(Json dimension, read_listed(file, fmt::format("{}/{}", path, i), space[i], notes));
      dimensions.push_back(std::move(dimension));
    }
  } else {
    const std::vector<std::string> names = file.names(path);
    if (names.size() != space.size()) return file.wrong(path, "a parameter cannot have a / in its name");
    for (const std::string& name : names) {
      if (name.empty()) return file.wrong(path, "a parameter has no name");
      ROOST_TRY(Json dimension, read_short(file, path + "/" + name, name, space[name]));
      dimensions.push_back(std::move(dimension));
    }
  }
  ROOST_CHECK(check_together(file, path, dimensions));
  return dimensions;
}

std::int64_t space_points(const Json& space) {
  std::int64_t points = 1;
  for (const Json& dimension : space) {
    const std::string expression = text_field(dimension, "expression");
    const Json& values = child(dimension, "values");
    std::int64_t here = 0;
    if (expression == "choice") here = static_cast<std::int64_t>(values.size());
    if (expression == "randint") here = values[0].get<std::int64_t>();
    if (here <= 0) return 0;
    if (points > std::numeric_limits<std::int64_t>::max() / here) return std::numeric_limits<std::int64_t>::max();
    points *= here;
  }
  return points;
}

Result<Json> parse_trial_parameters(const Json& space, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const Json& dimension : space) names.push_back(without_dashes(text_field(dimension, "name")));
  const std::string known = fmt::format("{}", fmt::join(names, ", "));
  Json parameters = Json::object();
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("\"{}\" must be like NAME=VALUE; the sweep has {}", printable(word), printable(known, 400)));
    }
    const Json* dimension = find_dimension(space, word.substr(0, equals));
    if (!dimension) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("the sweep has no parameter \"{}\"; it has {}",
                                                           printable(word.substr(0, equals)), printable(known, 400)));
    }
    const std::string name = text_field(*dimension, "name");
    if (parameters.contains(name)) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{} is given twice", printable(name)));
    }
    ROOST_TRY(parameters[name], typed_value(*dimension, word.substr(equals + 1)));
  }
  for (const Json& dimension : space) {
    const std::string name = text_field(dimension, "name");
    if (parameters.contains(name) || !applies(dimension, parameters)) continue;
    return fail(ErrorCode::kInvalidArgument, fmt::format("{0} is missing: add {0}=VALUE; the sweep has {1}",
                                                         printable(without_dashes(name)), printable(known, 400)));
  }
  return parameters;
}

}  // namespace roost
