#include "execute/heartbeat.h"
#include "execute/node_orders.h"
#include "observe/system_samples.h"
#include "server/routes/routes.h"

namespace roost {
namespace {

class OrderStream final : public ResponseStream {
 public:
  OrderStream(App& app, std::string node) : hub_(app.changes.hub()), node_(node), orders_(*app.execute, std::move(node)) {}

  void set_wake(std::function<void()> wake) override {
    subscription_ = hub_.subscribe("node/" + node_, std::move(wake));
  }

  Step next(std::string& piece) override {
    switch (orders_.next(piece)) {
      case NodeOrders::News::kNothing: return Step::kWait;
      case NodeOrders::News::kOrders: return Step::kData;
      case NodeOrders::News::kGone: return Step::kEnd;
    }
    return Step::kEnd;
  }

 private:
  ChangeHub& hub_;
  const std::string node_;
  NodeOrders orders_;
  ChangeHub::Subscription subscription_;
};

Result<Response> stream_orders(App& app, Request& request) {
  const std::string node = request.parameters["node"];
  ROOST_TRY(const auto pid, integer_query(request, "pid", 0, 0, INT32_MAX));
  ROOST_CHECK(node_came(*app.execute, node, pid));
  Response response;
  response.content_type = "application/x-ndjson";
  response.stream = std::make_unique<OrderStream>(app, node);
  return response;
}

Result<Response> heartbeat(App& app, Request& request) {
  ROOST_TRY(const Json body, json_body(request));
  ROOST_TRY(Heartbeat said, parse_heartbeat(body));
  ROOST_TRY(const bool fenced,
            take_heartbeat(*app.execute, request.parameters["node"], std::move(said), insert_system_sample));
  return json_response({{"fenced", fenced}});
}

}  // namespace

void add_node_routes(Router& router, App& app) {
  add_operation(router, app, "GET", "/api/v1/nodes/{node}/orders", "stream_orders", Need::kNode,
                [&app](Request& request, const Principal&) { return stream_orders(app, request); });
  add_operation(router, app, "POST", "/api/v1/nodes/{node}/heartbeat", "send_heartbeat", Need::kNode,
                [&app](Request& request, const Principal&) { return heartbeat(app, request); });
}

}  // namespace roost
