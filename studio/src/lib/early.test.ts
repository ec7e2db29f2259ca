import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api, ApiError } from "./api";
import { askEarly, takeEarly } from "./early";

const answers: ((response: Response | Error) => void)[] = [];
const fetched = vi.fn(
  () =>
    new Promise<Response>((resolve, reject) => {
      answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
    }),
);
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", fetched);
  fetched.mockClear();
  answers.length = 0;
});
afterEach(() => {
  vi.advanceTimersByTime(10_000);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("gives an early answer to the first who asks for the address, and to nobody else", async () => {
  askEarly("/api/v1/runs/a");
  expect(fetched).toHaveBeenCalledTimes(1);
  const first = api.get("/runs/a");
  expect(fetched).toHaveBeenCalledTimes(1);
  answers[0]!(Response.json({ id: "a" }));
  expect(await first).toEqual({ id: "a" });
  void api.get("/runs/a");
  expect(fetched).toHaveBeenCalledTimes(2);
});

it("leaves changes and other addresses alone", () => {
  askEarly("/api/v1/session");
  void api.post("/session", {});
  void api.get("/session", { other: "1" });
  expect(fetched).toHaveBeenCalledTimes(3);
});

it("says what went wrong to who takes it", async () => {
  askEarly("/api/v1/runs/b");
  const taken = api.get("/runs/b");
  answers[0]!(new TypeError("no connection"));
  await expect(taken).rejects.toThrow(ApiError);
  await expect(taken).rejects.toThrow("the server does not answer");
});

it("forgets what nobody took", () => {
  askEarly("/api/v1/runs/c");
  vi.advanceTimersByTime(6000);
  expect(takeEarly("/api/v1/runs/c")).toBeUndefined();
});

it("does not answer who no longer wants it", async () => {
  askEarly("/api/v1/runs/d");
  const controller = new AbortController();
  const taken = api.get("/runs/d", {}, controller.signal);
  controller.abort();
  answers[0]!(Response.json({ id: "d" }));
  await expect(taken).rejects.toThrow(/abort/i);
});
