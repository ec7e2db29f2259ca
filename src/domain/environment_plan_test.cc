#include "domain/environment_plan.h"

#include <gtest/gtest.h>

#include "domain/version.h"

namespace roost {
namespace {

Json with_packages(Json dependencies) {
  return {{"python", {{"condaDependencies", {{"channels", {"conda-forge"}}, {"dependencies", dependencies}}}}}};
}

EnvironmentPlan planned(const Json& definition, Pins pins = Pins::kStrict) {
  auto plan = plan_environment(definition, pins);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? *plan : EnvironmentPlan();
}

TEST(EnvironmentPlan, TakesPythonAndPipOutAndLeavesToRoostWhatItBrings) {
  const auto plan = planned(with_packages(
      {"python=3.6.2", "pip", {{"pip", {"azureml-defaults", "AzureML_core>=1", "torch==1.6.0", "pillow"}}}}));
  EXPECT_EQ(plan.python, "3.6.2");
  EXPECT_EQ(plan.pip, (std::vector<std::string>{"torch==1.6.0", "pillow"}));
  EXPECT_TRUE(plan.conda.empty());
  EXPECT_TRUE(plan.channels.empty()) << "without conda packages a channel changes nothing";
  EXPECT_TRUE(plan.needs_build());
}

TEST(EnvironmentPlan, AzuresLinkToMlflowBringsMlflow) {
  const auto pip_of = [](Json dependencies) { return planned(with_packages(std::move(dependencies))).pip; };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(pip_of({{{"pip", {"azureml_mlflow==1.50", "pillow"}}}}), (Lines{"pillow", "mlflow"}));
  EXPECT_EQ(pip_of({"azureml-mlflow"}), Lines{"mlflow"});
  EXPECT_EQ(pip_of({{{"pip", {"azureml-mlflow", "MLflow[extras]==1.2"}}}}), Lines{"MLflow[extras]==1.2"});
  EXPECT_EQ(pip_of({{{"pip", {"mlflow-skinny", "azureml-mlflow"}}}}), Lines{"mlflow-skinny"});
  EXPECT_EQ(pip_of({"mlflow=1.2", {{"pip", {"azureml-mlflow"}}}}), Lines{});
  EXPECT_EQ(pip_of({{{"pip", {"azureml-defaults"}}}}), Lines{});
  const auto added = planned(with_packages({{{"pip", {"azureml-mlflow"}}}}));
  const auto asked = planned(with_packages({{{"pip", {"mlflow"}}}}));
  EXPECT_TRUE(added.adds_mlflow && !asked.adds_mlflow);
  EXPECT_NE(added.digest(), asked.digest()) << "the one may be built without it";
}

TEST(EnvironmentPlan, PythonConditionsInAllSpellings) {
  for (const auto& [written, meant] : std::vector<std::pair<std::string, std::string>>{
           {"python", ""}, {"python=3.8", "3.8"}, {"python==3.6.2", "==3.6.2"}, {"python>=3.8,<3.11", ">=3.8,<3.11"},
           {"python 3.9", "3.9"}, {"python=3.8=h12_0", "3.8"}, {"conda-forge::python=3.7", "3.7"}}) {
    EXPECT_EQ(planned(with_packages({written})).python, meant) << written;
  }
}

TEST(EnvironmentPlan, OrderCountsAndNameDoesNot) {
  const auto a = planned(with_packages({{{"pip", {"numpy", "torch"}}}}));
  const auto b = planned(with_packages({{{"pip", {"torch", "numpy"}}}}));
  EXPECT_NE(a.digest(), b.digest());
  Json named = with_packages({{{"pip", {"numpy", "torch"}}}});
  named["name"] = "other";
  named["environmentVariables"] = {{"A", "1"}};
  named["docker"] = {{"baseImage", "registry.example/azureml/openmpi4.1.0-ubuntu20.04"}, {"shmSize", "2g"}};
  EXPECT_EQ(planned(named).digest(), a.digest());
  EXPECT_NE(planned(named, Pins::kNearest).digest(), a.digest());
  named["docker"]["baseImage"] = "house/base:1";
  EXPECT_NE(planned(named).digest(), a.digest());
}

TEST(EnvironmentPlan, AnEnvironmentThatManagesItselfIsNotBuilt) {
  const auto plan = planned({{"python", {{"userManagedDependencies", true}, {"interpreterPath", "/opt/py"}}}});
  EXPECT_TRUE(plan.user_managed);
  EXPECT_EQ(plan.interpreter, "/opt/py");
  EXPECT_FALSE(plan.needs_build());
  EXPECT_FALSE(planned(Json::object()).needs_build());
}

TEST(EnvironmentPlan, RefusesWhatItCannotBuild) {
  for (const Json& bad : std::vector<Json>{with_packages({{{"pip", {"-r requirements.txt"}}}}),
                                           with_packages({{{"pip", {"--editable=."}}}}),
                                           with_packages({{{"pip", "torch"}}}),
                                           with_packages({{{"npm", {"left-pad"}}}}),
                                           with_packages({7}),
                                           with_packages({"a\nb"}),
                                           with_packages({std::string(3000, 'x')}),
                                           Json("text")}) {
    const auto plan = plan_environment(bad, Pins::kStrict);
    EXPECT_FALSE(plan) << bad.dump().substr(0, 100);
  }
}

TEST(Requirement, NamesAndConditions) {
  for (const auto& [line, name, condition] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"torch==1.6.0", "torch", "==1.6.0"}, {"Pillow", "pillow", ""},
           {"scikit_learn >= 1.0", "scikit-learn", ">= 1.0"},
           {"horovod[pytorch]==0.19.5", "horovod", "==0.19.5"},
           {"numpy<2; python_version<'3.9'", "numpy", "<2"}, {"--pre", "", ""},
           {"git+https://host/x.git", "", ""}, {"./wheel.whl", "", ""}}) {
    EXPECT_EQ(requirement_name(line), name) << line;
    if (!name.empty()) {
      EXPECT_EQ(requirement_condition(line), condition) << line;
    }
  }
}

TEST(VersionTest, Conditions) {
  const auto v = [](const char* text) { return *parse_version(text); };
  EXPECT_TRUE(satisfies(v("3.11.2"), ""));
  EXPECT_TRUE(satisfies(v("3.11.2"), "3.11"));
  EXPECT_FALSE(satisfies(v("3.11.2"), "==3.11"));
  EXPECT_TRUE(satisfies(v("3.11.0"), "==3.11"));
  EXPECT_FALSE(satisfies(v("3.1.2"), "3.11"));
  EXPECT_TRUE(satisfies(v("3.9.1"), ">=3.8,<3.11"));
  EXPECT_FALSE(satisfies(v("3.11.0"), ">=3.8,<3.11"));
  EXPECT_TRUE(satisfies(v("3.6.9"), "3.6.*"));
  EXPECT_TRUE(satisfies(v("1.5"), "~=1.4"));
  EXPECT_FALSE(satisfies(v("2.0"), "~=1.4"));
  EXPECT_FALSE(satisfies(v("2.0"), "??"));
  EXPECT_FALSE(parse_version("main"));
}

TEST(VersionTest, TheNearestIsOfTheSameLine) {
  const auto nearest = [](const char* wanted, const std::vector<std::string>& available) {
    std::vector<Version> versions;
    for (const auto& text : available) versions.push_back(*parse_version(text));
    const auto found = nearest_version(*parse_version(wanted), versions);
    return found ? found->text : "";
  };
  EXPECT_EQ(nearest("1.6.0", {"1.11.0", "1.13.1", "2.0.0"}), "1.11.0");
  EXPECT_EQ(nearest("1.6.0", {"1.5.1", "1.7.0"}), "1.7.0");
  EXPECT_EQ(nearest("3.6.2", {"3.11.2", "3.8.18", "2.7.18"}), "3.8.18");
  EXPECT_EQ(nearest("2.0", {"2.1.0rc1", "3.0"}), "3.0") << "a final one before a candidate";
  EXPECT_EQ(nearest("2.0", {"2.1.0rc1"}), "2.1.0rc1");
  EXPECT_EQ(nearest("2.0", {}), "");
  EXPECT_EQ(nearest("99.0", {"4.1.0", "4.66.0", "4.70.1"}), "4.70.1") << "beyond the newest is the newest, not the oldest of its line";
  EXPECT_EQ(nearest("99", {"0.1.0", "1.13.1", "2.0.0", "2.9.1"}), "2.9.1");
  EXPECT_EQ(nearest("4.99", {"3.9", "4.1.0", "4.66.5"}), "4.66.5");
  EXPECT_EQ(nearest("0.0.1", {"1.0.4", "1.26.0", "2.1.3"}), "1.0.4") << "beyond the oldest is the oldest";
  EXPECT_EQ(nearest("1.5.3", {"0.9.7", "0.1.0"}), "0.9.7");
}

}  // namespace
}  // namespace roost
