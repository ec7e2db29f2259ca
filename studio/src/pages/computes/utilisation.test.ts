import { expect, test } from "vitest";
import { utilisationByNode } from "./utilisation";
import { busyShare } from "./nodes_bar";
import { until } from "./until";

const point = (value: number, second = 0) => ({ at: `2026-01-01T00:00:0${second}Z`, value });

test("the newest figure of each node is taken", () => {
  const found = utilisationByNode([
    { node: "a", name: "cpu_percent", points: [point(10), point(90, 5)] },
    { node: "a", name: "gpu1_percent", points: [point(7)] },
    { node: "a", name: "gpu0_percent", points: [point(6)] },
    { node: "b", name: "memory_percent", points: [point(50)] },
    { node: "b", name: "cpu_percent", points: [] },
  ]);
  expect(found.get("a")).toEqual({ cpu: 90, gpus: [6, 7], at: "2026-01-01T00:00:05Z" });
  expect(found.get("b")).toEqual({ memory: 50, gpus: [], at: "2026-01-01T00:00:00Z" });
});
test("the busy share leaves out nodes that are not up", () => {
  const none = { preparing: 0, running: 0, idle: 0, unusable: 0, leaving: 0, preempted: 0 };
  expect(busyShare({ ...none, preparing: 3 })).toBeUndefined();
  expect(busyShare({ ...none, running: 1, idle: 3 })).toBe(0.25);
});
test("a time to come in words", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(until("2026-01-01T00:01:30Z", now)).toBe("in 1 min 30 s");
  expect(until("2025-12-31T00:00:00Z", now)).toBe("any moment");
});
