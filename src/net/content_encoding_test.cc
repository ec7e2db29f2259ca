#include "net/content_encoding.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

TEST(ContentEncoding, ChoosesWhatTheClientWouldRatherHave) {
  EXPECT_EQ(choose_encoding(""), Encoding::kIdentity);
  EXPECT_EQ(choose_encoding("gzip"), Encoding::kGzip);
  EXPECT_EQ(choose_encoding("deflate"), Encoding::kDeflate);
  EXPECT_EQ(choose_encoding("gzip, deflate, br"), Encoding::kGzip);
  EXPECT_EQ(choose_encoding("deflate, gzip;q=0.5"), Encoding::kDeflate);
  EXPECT_EQ(choose_encoding("GZip;q=0"), Encoding::kIdentity);
  EXPECT_EQ(choose_encoding("*"), Encoding::kGzip);
  EXPECT_EQ(choose_encoding("gzip;q=0, *"), Encoding::kDeflate);
  EXPECT_EQ(choose_encoding("identity, gzip;q=0.5"), Encoding::kIdentity);
  EXPECT_EQ(choose_encoding("br, zstd"), Encoding::kIdentity);
  EXPECT_EQ(choose_encoding(";;,q=,;q=x"), Encoding::kIdentity);
}

TEST(ContentEncoding, BodiesOfRequests) {
  Request request;
  request.body = compress(Encoding::kDeflate, compress(Encoding::kGzip, "hello"));
  request.headers["content-encoding"] = "gzip, Deflate";
  ASSERT_TRUE(decode_body(request, 100));
  EXPECT_EQ(request.body, "hello");
  EXPECT_FALSE(request.headers.contains("content-encoding"));
  EXPECT_TRUE(decode_body(request, 100));

  request.headers["content-encoding"] = "br";
  EXPECT_EQ(decode_body(request, 100).error().code, ErrorCode::kInvalidArgument);
  request.body = compress(Encoding::kGzip, std::string(101, 'a'));
  request.headers["content-encoding"] = "gzip";
  EXPECT_EQ(decode_body(request, 100).error().code, ErrorCode::kTooLarge);
  request.headers["content-encoding"] = "gzip,gzip,gzip";
  EXPECT_EQ(decode_body(request, 100).error().code, ErrorCode::kInvalidArgument);
}

TEST(ContentEncoding, AnswersAreCompressedWhereItIsWorthIt) {
  const auto encoded = [](std::string_view accept, std::size_t size, const char* type) {
    Response response;
    response.content_type = type;
    response.body = std::string(size, 'a');
    encode_body(accept, response);
    EXPECT_EQ(response.body.size() < size, response.headers.contains("Content-Encoding"));
    return response.headers["Content-Encoding"];
  };
  EXPECT_EQ(encoded("gzip", 5000, "application/json"), "gzip");
  EXPECT_EQ(encoded("deflate", 5000, "application/json"), "deflate");
  EXPECT_EQ(encoded("gzip, deflate", 5000, "application/json"), "gzip");
  EXPECT_EQ(encoded("gzip", 500, "application/json"), "");
  EXPECT_EQ(encoded("", 5000, "application/json"), "");
  EXPECT_EQ(encoded("gzip, deflate", 5000, "application/octet-stream"), "");
  EXPECT_EQ(encoded("gzip", 5000, "application/octet-stream"), "gzip");
}

}  // namespace
}  // namespace roost
