#include "observe/system_samples.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "observe/block_tail.h"

namespace roost {
namespace {

constexpr std::size_t kMostNames = 512;
constexpr std::size_t kLongestName = 100;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Points in the order of time: when each was, and one value for each name.
struct Samples {
  std::vector<std::string> names;
  std::vector<Micros> times;
  std::vector<double> values;  // of the first point, of the second ...

  std::size_t size() const { return times.size(); }
  double value(std::size_t point, std::size_t name) const { return values[point * names.size() + name]; }

  // Makes room for further names; a point from before has no value for them.
  void add_names(const std::vector<std::string>& more) {
    std::vector<std::string> all = names;
    for (const auto& name : more) {
      if (all.size() < kMostNames && std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
    if (all.size() == names.size()) return;
    std::vector<double> wider(size() * all.size(), kMissing);
    for (std::size_t point = 0; point < size(); ++point) {
      for (std::size_t name = 0; name < names.size(); ++name) wider[point * all.size() + name] = value(point, name);
    }
    names = std::move(all);
    values = std::move(wider);
  }

  void append(const Samples& other) {
    add_names(other.names);
    std::vector<std::size_t> from(names.size(), other.names.size());
    for (std::size_t name = 0; name < names.size(); ++name) {
      const auto at = std::find(other.names.begin(), other.names.end(), names[name]);
      from[name] = static_cast<std::size_t>(at - other.names.begin());
    }
    for (std::size_t point = 0; point < other.size(); ++point) {
      times.push_back(other.times[point]);
      for (const std::size_t name : from) {
        values.push_back(name < other.names.size() ? other.value(point, name) : kMissing);
      }
    }
  }

  Samples part(std::size_t begin, std::size_t end) const {
    const auto at = [&](std::size_t point) { return values.begin() + static_cast<long>(point * names.size()); };
    return {names, {times.begin() + static_cast<long>(begin), times.begin() + static_cast<long>(end)},
            {at(begin), at(end)}};
  }
};

// In the database: the names as a JSON list; for each point its time and its values, eight bytes each.
std::string pack(const Samples& samples) {
  std::string data;
  data.reserve(samples.size() * (1 + samples.names.size()) * 8);
  const auto* values = reinterpret_cast<const char*>(samples.values.data());
  const std::size_t width = samples.names.size() * sizeof(double);
  for (std::size_t point = 0; point < samples.size(); ++point) {
    data.append(reinterpret_cast<const char*>(&samples.times[point]), sizeof(Micros));
    data.append(values + point * width, width);
  }
  return data;
}

Samples unpack(std::string_view names, std::string_view data) {
  Samples samples;
  const Json list = stored_json(names);
  if (!list.is_array()) return samples;
  for (const auto& name : list) samples.names.push_back(name.is_string() ? name.get<std::string>() : "");
  const std::size_t width = samples.names.size() * sizeof(double);
  while (data.size() >= sizeof(Micros) + width) {
    Micros at = 0;
    std::memcpy(&at, data.data(), sizeof at);
    samples.times.push_back(at);
    samples.values.resize(samples.values.size() + samples.names.size());
    if (width > 0) std::memcpy(&samples.values[samples.values.size() - samples.names.size()], data.data() + sizeof at, width);
    data.remove_prefix(sizeof at + width);
  }
  return samples;
}

double mean(double a, double b) {
  if (std::isnan(a)) return b;
  return std::isnan(b) ? a : (a + b) / 2;
}

// Each two points become one.
Samples halve(const Samples& samples) {
  Samples half;
  half.names = samples.names;
  for (std::size_t point = 0; point + 1 < samples.size(); point += 2) {
    half.times.push_back(samples.times[point] + (samples.times[point + 1] - samples.times[point]) / 2);
    for (std::size_t name = 0; name < samples.names.size(); ++name) {
      half.values.push_back(mean(samples.value(point, name), samples.value(point + 1, name)));
    }
  }
  return half;
}

// The blocks of one node of a run.
class SampleBlocks {
 public:
  SampleBlocks(Tx& tx, std::int64_t run, const std::string& node) : tx_(tx), run_(run), node_(node) {}

  Status append(Samples added) {
    ROOST_TRY(const Tail tail, find_tail(static_cast<std::int64_t>(added.size())));
    std::int64_t first = tail.end;
    if (tail.joined_first < tail.end) {
      ROOST_TRY(Samples joined, read(tail.joined_first));
      ROOST_CHECK(remove(tail.joined_first, tail.end));
      joined.append(added);
      added = std::move(joined);
      first = tail.joined_first;
    }
    constexpr auto kFull = static_cast<std::size_t>(kSampleBlock);
    if (added.size() < kFull) return insert(first, 1, added);
    for (std::size_t begin = 0; begin < added.size(); begin += kFull) {
      const std::size_t end = std::min(added.size(), begin + kFull);
      ROOST_CHECK(insert(first + static_cast<std::int64_t>(begin), 1, added.part(begin, end)));
    }
    return thin();
  }

 private:
  struct Tail {
    std::int64_t end = 0;           // the number of the next sample
    std::int64_t joined_first = 0;  // where the block begins that the new ones come into; `end` for one of their own
  };
  struct Block {
    std::int64_t first;
    std::int64_t count;
    std::int64_t samples;
  };

  Result<Tail> find_tail(std::int64_t added) {
    Tail tail;
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> firsts;
    Rows rows = tx_.query(
        "SELECT first, count, samples FROM system_block WHERE run = ? AND node = ? ORDER BY first DESC", run_, node_);
    while (rows.next()) {
      if (firsts.empty()) {
        tail.end = rows.integer(0) + rows.integer(1) * rows.integer(2);
        firsts.push_back(tail.end);
      }
      if (rows.integer(2) != 1 || rows.integer(1) >= kSampleBlock) break;
      firsts.push_back(rows.integer(0));
      counts.push_back(rows.integer(1));
    }
    ROOST_CHECK(rows.status());
    tail.joined_first = firsts.empty() ? 0 : firsts[blocks_to_join(counts, added)];
    return tail;
  }

  // All from `first` on, or to before `end`.
  Result<Samples> read(std::int64_t first, std::int64_t end = INT64_MAX) {
    Samples all;
    Rows rows = tx_.query(
        "SELECT names, data FROM system_block WHERE run = ? AND node = ? AND first >= ? AND first < ? ORDER BY first",
        run_, node_, first, end);
    while (rows.next()) all.append(unpack(rows.bytes(0), rows.bytes(1)));
    ROOST_CHECK(rows.status());
    return all;
  }

  Status remove(std::int64_t first, std::int64_t end) {
    ROOST_CHECK(tx_.run("DELETE FROM system_block WHERE run = ? AND node = ? AND first >= ? AND first < ?", run_, node_,
                        first, end));
    return {};
  }

  Status insert(std::int64_t first, std::int64_t samples, const Samples& points) {
    ROOST_CHECK(tx_.run("INSERT INTO system_block VALUES (?, ?, ?, ?, ?, ?, ?)", run_, node_, first,
                        static_cast<std::int64_t>(points.size()), samples, to_text(Json(points.names)),
                        Blob{pack(points)}));
    return {};
  }

  Status thin() {
    for (std::int64_t samples = 1;; samples *= 2) {
      std::vector<Block> same;
      {
        Rows rows = tx_.query("SELECT first, count FROM system_block WHERE run = ? AND node = ? AND samples = ?"
                              " AND count >= ? ORDER BY first",
                              run_, node_, samples, kSampleBlock);
        while (rows.next()) same.push_back({rows.integer(0), rows.integer(1), samples});
        ROOST_CHECK(rows.status());
      }
      if (same.size() <= 2) return {};
      for (std::size_t i = 0; i + 2 < same.size(); i += 2) {
        const std::int64_t end = same[i + 1].first + 1;
        ROOST_TRY(const Samples both, read(same[i].first, end));
        ROOST_CHECK(remove(same[i].first, end));
        ROOST_CHECK(insert(same[i].first, samples * 2, halve(both)));
      }
    }
  }

  Tx& tx_;
  const std::int64_t run_;
  const std::string node_;
};

Samples one_sample(Micros at, const Json& values) {
  Samples sample;
  sample.times.push_back(at);
  if (!values.is_object()) return sample;
  for (const auto& item : values.items()) {
    const auto number = json_number(item.value());
    if (!number || item.key().size() > kLongestName || sample.names.size() >= kMostNames) continue;
    sample.names.push_back(item.key());
    sample.values.push_back(*number);
  }
  return sample;
}

Status move_old_samples_of(Tx& tx, std::int64_t run) {
  std::vector<std::string> nodes;
  {
    Rows rows = tx.query("SELECT DISTINCT node FROM system_sample WHERE run = ?", run);
    while (rows.next()) nodes.push_back(rows.text(0));
    ROOST_CHECK(rows.status());
  }
  for (const auto& node : nodes) {
    SampleBlocks blocks(tx, run, node);
    Samples piece;
    Rows rows = tx.query("SELECT at, values_json FROM system_sample WHERE run = ? AND node = ? ORDER BY at", run, node);
    while (rows.next()) {
      piece.append(one_sample(rows.integer(0), stored_json(rows.bytes(1))));
      if (piece.size() == static_cast<std::size_t>(kSampleBlock)) ROOST_CHECK(blocks.append(std::exchange(piece, {})));
    }
    ROOST_CHECK(rows.status());
    if (piece.size() > 0) ROOST_CHECK(blocks.append(std::move(piece)));
  }
  ROOST_CHECK(tx.run("DELETE FROM system_sample WHERE run = ?", run));
  return {};
}

}  // namespace

Status insert_system_sample(Tx& tx, std::int64_t run, const std::string& node, Micros at, const Json& values) {
  Samples sample = one_sample(at, values);
  if (sample.names.empty()) return {};
  return SampleBlocks(tx, run, node).append(std::move(sample));
}

Result<Json> system_series(Tx& tx, std::int64_t run, std::int64_t buckets) {
  struct Point {
    Micros at;
    double value;
  };
  std::map<std::pair<std::string, std::string>, std::vector<Point>> series;
  Rows rows = tx.query("SELECT node, names, data FROM system_block WHERE run = ? ORDER BY node, first", run);
  while (rows.next()) {
    const Samples samples = unpack(rows.bytes(1), rows.bytes(2));
    for (std::size_t name = 0; name < samples.names.size(); ++name) {
      auto& points = series[{rows.text(0), samples.names[name]}];
      for (std::size_t point = 0; point < samples.size(); ++point) {
        const double value = samples.value(point, name);
        if (!std::isnan(value)) points.push_back({samples.times[point], value});
      }
    }
  }
  ROOST_CHECK(rows.status());
  Json list = Json::array();
  for (const auto& [key, all] : series) {
    // Every n-th of a long series is enough to see the load.
    const auto most = static_cast<std::size_t>(buckets);
    const std::size_t stride = std::max<std::size_t>(1, (all.size() + most - 1) / most);
    Json points = Json::array();
    for (std::size_t i = 0; i < all.size(); i += stride) {
      points.push_back({{"at", format_time(all[i].at)}, {"value", number_json(all[i].value)}});
    }
    list.push_back({{"node", key.first}, {"name", key.second}, {"points", std::move(points)}});
  }
  return Json{{"series", std::move(list)}};
}

Result<std::optional<double>> busiest_gpu(Tx& tx, std::int64_t run, Micros since) {
  std::optional<double> busiest;
  bool is_long_ago = false;
  // What is looked at are the last minutes, which are in the newest blocks.
  Rows rows = tx.query("SELECT names, data FROM system_block WHERE run = ?1 AND first >= (SELECT coalesce(max(first), 0) FROM"
                       " system_block b WHERE b.run = ?1) - ?2",
                       run, 2 * kSampleBlock);
  while (rows.next()) {
    const Samples samples = unpack(rows.bytes(0), rows.bytes(1));
    for (std::size_t name = 0; name < samples.names.size(); ++name) {
      if (!samples.names[name].starts_with("gpu") || !samples.names[name].ends_with("_percent")) continue;
      for (std::size_t point = 0; point < samples.size(); ++point) {
        const double value = samples.value(point, name);
        if (std::isnan(value)) continue;
        if (samples.times[point] < since) {
          is_long_ago = true;
        } else {
          busiest = std::max(busiest.value_or(value), value);
        }
      }
    }
  }
  ROOST_CHECK(rows.status());
  return is_long_ago ? busiest : std::nullopt;
}

Status move_old_samples(Database& database) {
  for (;;) {
    std::optional<std::int64_t> run;
    ROOST_CHECK(database.read([&](Tx& tx) -> Status {
      Rows rows = tx.query("SELECT run FROM system_sample LIMIT 1");
      if (rows.next()) run = rows.integer(0);
      return rows.status();
    }));
    if (!run) return {};
    ROOST_CHECK(database.write([&](Tx& tx) { return move_old_samples_of(tx, *run); }));
  }
}

}  // namespace roost
