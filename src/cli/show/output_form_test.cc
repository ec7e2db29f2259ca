#include "cli/show/output_form.h"

#include <gtest/gtest.h>

#include "cli/show/run_text.h"
#include "cli/show/table.h"

namespace roost {
namespace {

const Json kRuns = {{"items", {{{"id", "a_1"}, {"status", "Completed"}, {"tags", {{"lr", "0.1"}}}, {"notices", Json::array()}},
                               {{"id", "a_2"}, {"status", "Failed"}, {"tags", Json::object()}, {"notices", {"x, y"}}}}}};

TEST(OutputFormTest, Forms) {
  EXPECT_EQ(parse_output_form("json")->kind, OutputForm::kJson);
  EXPECT_EQ(parse_output_form("template={{.id}}")->pattern, "{{.id}}");
  for (const char* wrong : {"xml", "template", "template=", "template={{.id}", "CSV"}) EXPECT_FALSE(parse_output_form(wrong)) << wrong;
}

TEST(OutputFormTest, ATemplateIsFilledInForEachItem) {
  const OutputForm form{OutputForm::kTemplate, "{{.id}}\\t{{ tags.lr }} {{.nothing}}"};
  EXPECT_EQ(output_text(form, kRuns), "a_1\t0.1 \na_2\t \n");
  EXPECT_EQ(output_text(form, kRuns["items"][0]), "a_1\t0.1 \n") << "one thing is one line";
  EXPECT_EQ(output_text({OutputForm::kTemplate, "{{.metrics.val.loss}}"}, {{"metrics", {{"val.loss", 0.5}}}}), "0.5\n") << "a name may have dots";
}

TEST(OutputFormTest, ColumnsAreFields) {
  EXPECT_EQ(output_text({OutputForm::kCsv, ""}, kRuns), "id,status,notices,tags.lr\na_1,Completed,[],0.1\na_2,Failed,\"[\"\"x, y\"\"]\",\n");
  EXPECT_EQ(output_text({OutputForm::kCsv, ""}, {{"items", Json::array()}}), "");
}

TEST(ShortIdTest, OnlyIdsThatRoostMade) {
  EXPECT_EQ(short_run_id("birds_1794784562_44737e30"), "44737e30");
  EXPECT_EQ(short_run_id("HD_c7504537-1260-8418-d337-6e1d53d41a1d_2"), "HD_c7504537-1260-8418-d337-6e1d53d41a1d_2");
  EXPECT_EQ(short_run_id("birds_44737e30"), "birds_44737e30");
}

TEST(NarrowTableTest, FitsTheTerminal) {
  TextTable table({{"RUN", false, false, true}, {"EXPERIMENT", false, true}, {"STATUS"}, {"TAGS", false, true}});
  table.add({"a-rather-long-experiment_1794784562_44737e30", "a-rather-long-experiment", "Completed", "stage=baseline who=anna"});
  table.add({"a-rather-long-experiment_1794784563_aa6d83f1", "a-rather-long-experiment", "Failed", ""});
  EXPECT_NE(table.text(Style(false), 0).find("a-rather-long-experiment_1794784562_44737e30"), std::string::npos);
  for (int width : {80, 60, 40, 30, 20}) {
    const std::string text = table.text(Style(false), width);
    std::size_t longest = 0;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) longest = std::max(longest, text.find('\n', at) - at);
    EXPECT_LE(longest, static_cast<std::size_t>(width) + 4) << text;  // "…" has three bytes
    if (width >= 40) {
      EXPECT_NE(text.find("44737e30"), std::string::npos) << text;
    }
  }
  TextTable same({{"RUN", false, false, true}, {"NAME", false, true}});
  same.add({"a_1794784562_44737e30", "a name that is long"});
  same.add({"b_1794784562_44737e30", "another"});
  EXPECT_NE(same.text(Style(false), 30).find("a_1794784562_44737e30"), std::string::npos) << "short ones would be the same";
}

}  // namespace
}  // namespace roost
