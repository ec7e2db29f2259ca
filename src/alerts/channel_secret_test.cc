#include "alerts/channel_secret.h"

#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/files.h"

namespace roost {
namespace {

TEST(ChannelSecret, IsReadByNobodyWithoutTheKey) {
  const auto folder = std::filesystem::temp_directory_path() / ("channel-secret-" + random_hex(6));
  ASSERT_TRUE(make_folders(folder));
  const auto sealer = Sealer::open_or_make(folder / "secrets.key");
  const auto another = Sealer::open_or_make(folder / "another.key");
  (void)remove_tree(folder);
  ASSERT_TRUE(sealer) << sealer.error().message;
  Channel channel;
  channel.name = "team";
  channel.spec.secret = {{"url", "https://example.org/hooks/abc"}};
  seal_channel(channel, *sealer);
  EXPECT_EQ(to_text(channel.spec.secret).find("hooks"), std::string::npos);
  Channel renamed = channel;
  renamed.name = "other";
  EXPECT_FALSE(open_channel(renamed, *sealer)) << "what was sealed for one channel is none of another's";
  ASSERT_TRUE(open_channel(channel, *sealer));
  EXPECT_EQ(channel.spec.secret["url"], "https://example.org/hooks/abc");
  seal_channel(channel, *sealer);
  const auto opened = open_channel(channel, *another);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("roost alerts add team"), std::string::npos);
}

}  // namespace
}  // namespace roost
