#include "domain/alert.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

Json webhook(const char* url) { return {{"kind", "webhook"}, {"url", url}, {"secret", "0123456789abcdef"}}; }

TEST(Alert, NotifyNamesAChannelAndEvents) {
  EXPECT_EQ(parse_notify("team")->events, alert_bit(AlertEvent::kEnd));
  const auto two = parse_notify("team:failure,hang");
  ASSERT_TRUE(two);
  EXPECT_EQ(two->channel, "team");
  EXPECT_EQ(alert_event_names(two->events), (std::vector<std::string>{"failure", "hang"}));
  EXPECT_FALSE(parse_notify("team:fire"));
  EXPECT_FALSE(parse_notify(":end"));
  EXPECT_FALSE(parse_notify("a b"));
}

TEST(Alert, OfAWebhookOnlyTheHostIsShown) {
  const auto channel = parse_channel(webhook("https://example.org/hooks/abc?token=t"));
  ASSERT_TRUE(channel) << channel.error().message;
  EXPECT_EQ(channel->settings["host"], "https://example.org");
  EXPECT_EQ(channel->settings.size(), 1U);
  EXPECT_EQ(channel->secret["url"], "https://example.org/hooks/abc?token=t");
}

TEST(Alert, OddChannelsAreRefused) {
  for (const char* url : {"ftp://example.org", "https://", "https:///x", "https://a b/", "https://user@example.org/",
                          "file:///etc/passwd", "http://example.org/#x", "http://example.org/\r\nX: y"}) {
    EXPECT_FALSE(parse_channel(webhook(url))) << url;
  }
  EXPECT_FALSE(parse_channel({{"kind", "webhook"}, {"url", "https://example.org"}, {"secret", "short"}}));
  EXPECT_FALSE(parse_channel({{"kind", "pager"}}));
  EXPECT_FALSE(parse_channel({{"kind", "desktop"}, {"url", "https://example.org"}}));
}

TEST(Alert, MailNeedsAddressesAndTlsForAPassword) {
  Json mail = {{"kind", "mail"}, {"to", {"ann@example.org"}}, {"from", "roost@example.org"}, {"host", "mail.example.org"}};
  const auto channel = parse_channel(mail);
  ASSERT_TRUE(channel) << channel.error().message;
  EXPECT_EQ(channel->settings["port"], 587);
  Json bare = mail;
  bare["security"] = "none";
  EXPECT_TRUE(parse_channel(bare));
  bare["user"] = "ann";
  bare["password"] = "p";
  EXPECT_FALSE(parse_channel(bare));
  for (const char* address : {"ann", "a@b@c", "a@b\r\nRCPT TO:<x@y>", "<a@b>", "@b", "a@"}) {
    Json odd = mail;
    odd["to"] = {address};
    EXPECT_FALSE(parse_channel(odd)) << address;
  }
}

}  // namespace
}  // namespace roost
