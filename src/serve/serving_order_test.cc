#include "serve/serving_order.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

Json whole_order() {
  return Json::parse(R"({"endpoint":"birds","workspace":"ws","deployment":"default","revision":3,"slug":"birds","runtime":"onnx",
    "models":[{"name":"birds","version":3,"path":"azureml-models/birds/3"}],"entry_script":"","source_directory":"",
    "workers":2,"max_concurrent_requests":0,"queue_limit":7,"queue_wait_ms":8,"scoring_timeout_ms":9,"max_body_bytes":10,
    "batching":{"max_batch":11,"max_delay_us":12},"threads":{"intra_op":13},"cors_origins":"*","listen":"0.0.0.0",
    "model_dir":"azureml-models/birds/3"})");
}

std::string refusal_of(const Json& order) {
  const auto parsed = parse_serving_order(to_text(order));
  return parsed ? "" : parsed.error().message;
}

TEST(ServingOrder, HasAllOfIt) {
  const auto order = parse_serving_order(to_text(whole_order()));
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_EQ("birds", order->endpoint);
  EXPECT_EQ(3, order->revision);
  ASSERT_EQ(1U, order->models.size());
  EXPECT_EQ(3, order->models[0].version);
  EXPECT_EQ("azureml-models/birds/3", order->models[0].path);
  EXPECT_EQ(2, order->workers);
  EXPECT_EQ(0, order->max_concurrent_requests);
  EXPECT_EQ(7, order->queue_limit);
  EXPECT_EQ(8, order->queue_wait_ms);
  EXPECT_EQ(9, order->scoring_timeout_ms);
  EXPECT_EQ(10, order->max_body_bytes);
  EXPECT_EQ(11, order->max_batch);
  EXPECT_EQ(12, order->max_delay_us);
  EXPECT_EQ(13, order->intra_op_threads);
  EXPECT_EQ("0.0.0.0", order->listen);
}

TEST(ServingOrder, NamesWhatIsWrong) {
  EXPECT_NE(std::string::npos, parse_serving_order("{").error().message.find("ROOST_REPLICA"));
  Json order = whole_order();
  order["runtime"] = "tea";
  EXPECT_NE(std::string::npos, refusal_of(order).find("'tea'"));
  order = whole_order();
  order["workers"] = "two";
  EXPECT_NE(std::string::npos, refusal_of(order).find("workers"));
  order = whole_order();
  order["colour"] = "red";
  EXPECT_NE(std::string::npos, refusal_of(order).find("colour"));
  order = whole_order();
  order["models"][0]["path"] = "../../etc";
  EXPECT_NE(std::string::npos, refusal_of(order).find("../../etc"));
  order = whole_order();
  order["runtime"] = "python";
  EXPECT_NE(std::string::npos, refusal_of(order).find("entry_script"));
  order = whole_order();
  order["batching"]["max_batch"] = 0;
  EXPECT_NE(std::string::npos, refusal_of(order).find("max_batch"));
}

}  // namespace
}  // namespace roost
