#include "net/upstreams.h"

#include <utility>

#include "net/io_loop.h"
#include "net/upstream_pool.h"

namespace roost {

Upstreams::Upstreams(Loop& loop) : pool_(std::make_shared<Pool>(static_cast<IoLoop&>(loop).context())) {}
Upstreams::~Upstreams() = default;
void Upstreams::send(UpstreamCall call, Done done) { pool_->send(std::move(call), std::move(done)); }
void Upstreams::forget(const std::string& address, std::uint16_t port) { pool_->forget(address, port); }
void Upstreams::drop_dispensable() { pool_->drop_dispensable(); }

}  // namespace roost
