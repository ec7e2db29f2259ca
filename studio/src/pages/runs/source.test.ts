import { describe, expect, it } from "vitest";
import type { RunRow } from "../../lib/api";
import { PAGE } from "./request";
import { RowSource } from "./source";

const row = (id: number, more: Partial<RunRow> = {}): RunRow => ({ id: String(id), status: "Running", metrics: {}, params: {}, tags: {}, ...more }) as RunRow;

/** A server with runs 0..count-1, the newest first. */
class Server {
  asked: string[] = [];
  aborted = 0;
  constructor(public count: number) {}
  fetch = (offset: number, limit: number, signal: AbortSignal) => {
    this.asked.push(`${offset}+${limit}`);
    return new Promise<{ items: RunRow[]; total: number }>((answer, refuse) => {
      signal.addEventListener("abort", () => {
        this.aborted += 1;
        refuse(new Error("aborted"));
      });
      setTimeout(() => {
        const items = Array.from({ length: Math.max(0, Math.min(limit, this.count - offset)) }, (_, i) => row(this.count - 1 - offset - i));
        answer({ items, total: this.count });
      });
    });
  };
}
const settled = () => new Promise((done) => setTimeout(done, 10));
async function looked(server: Server, first: number, last: number): Promise<RowSource> {
  const source = new RowSource(server.fetch, () => {}, true);
  source.want(0, 30);
  await settled();
  source.want(first, last);
  await settled();
  return source;
}

describe("rows of a query", () => {
  it("come by the page and only once", async () => {
    const server = new Server(1000);
    const source = await looked(server, 90, 130);
    source.want(90, 130);
    expect(server.asked).toEqual([`0+${PAGE}`, `100+${PAGE}`]);
    expect([source.total, source.row(0)?.id, source.row(129)?.id, source.row(500)]).toEqual([1000, "999", "870", undefined]);
    expect(source.indexOf("870")).toBe(129);
  });
  it("are given up when they are scrolled past", async () => {
    const server = new Server(1000);
    const source = await looked(server, 0, 30);
    source.want(300, 330);
    source.want(800, 830);
    await settled();
    expect(server.aborted).toBe(1);
    expect([source.row(300), source.row(800)?.id]).toEqual([undefined, "199"]);
  });
  it("keep their place in view when new runs come, whichever answer tells of them first", async () => {
    const server = new Server(1000);
    const source = await looked(server, 500, 530);
    server.count = 1002;
    await source.refresh(true);
    expect([source.moved, source.indexOf("499"), source.total]).toEqual([2, 502, 1002]);
    server.count = 1003;
    source.want(502, 532);
    await settled();
    expect([source.moved, source.indexOf("499"), source.row(503)?.id]).toEqual([3, 503, "499"]);
  });
  it("are asked for again after a refresh, and stay meanwhile", async () => {
    const server = new Server(150);
    const source = await looked(server, 0, 30);
    const before = source.row(3);
    await source.refresh(false);
    expect(source.row(3)).toBe(before);
    source.want(0, 30);
    await settled();
    expect(server.asked.length).toBe(2);
    expect(source.row(3), "the same object: not drawn again").toBe(before);
  });
  it("take news in place and keep the columns that the news lacks", async () => {
    const source = await looked(new Server(10), 0, 10);
    source.edit("9", { metrics: { loss: 1 } });
    expect(source.patch([row(9, { status: "Completed" }), row(77)])).toEqual(["77"]);
    expect(source.row(0)).toMatchObject({ status: "Completed", metrics: { loss: 1 } });
  });
  it("shrink", async () => {
    const server = new Server(150);
    const source = await looked(server, 100, 150);
    server.count = 20;
    await source.refresh(false);
    source.want(0, 30);
    await settled();
    expect([source.total, source.row(19)?.id, source.row(120)]).toEqual([20, "0", undefined]);
  });
});
