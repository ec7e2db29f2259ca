#include "domain/session_ask.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

TEST(SessionAsk, IsAProgramOrAPort) {
  const auto program = parse_session_ask({{"command", {"bash", "-c", "ls"}}, {"rank", 3}, {"terminal", {{"rows", 30}}}});
  ASSERT_TRUE(program);
  EXPECT_EQ(program->terminal->rows, 30);
  EXPECT_EQ(program->terminal->columns, 80);
  EXPECT_EQ(session_ask_text(*program, "ann"), "ann ran at rank 3: bash -c ls");
  const auto port = parse_session_ask({{"port", 6006}});
  ASSERT_TRUE(port);
  EXPECT_EQ(text_at(session_ask_json(*port), "kind"), "port");
  EXPECT_EQ(session_ask_text(*port, "ann"), "ann connected to port 6006");
}

TEST(SessionAsk, RefusesWhatIsNeitherOrWrong) {
  for (const char* text : {R"({})", R"({"command":[]})", R"({"command":["a"],"port":1})", R"({"port":0})", R"({"port":70000})",
                           R"({"command":"ls"})", R"({"command":["a"],"terminal":{"rows":0}})", R"({"command":[""]})",
                           R"({"port":1,"terminal":{}})", R"({"command":["a"],"rank":-1})", R"({"command":["a"],"x":1})",
                           R"({"command":["a\u0000b"]})", R"({"command":["a"],"terminal":{"x":1}})", R"([])"}) {
    EXPECT_FALSE(parse_session_ask(Json::parse(text))) << text;
  }
  EXPECT_FALSE(parse_session_ask({{"command", {std::string(200'000, 'x')}}}));
}

TEST(SessionAsk, ShowsALongCommandShort) {
  const auto ask = parse_session_ask({{"command", {"echo", std::string(1000, 'x')}}});
  ASSERT_TRUE(ask);
  EXPECT_LT(session_ask_text(*ask, "ann").size(), 250U);
}

}  // namespace
}  // namespace roost
