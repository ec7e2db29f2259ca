// A real Roost server on a data folder of its own, and what tests do with it.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { components } from "../src/lib/schema";
import { serveFront, type Front } from "./front";
import { killAllWith, killAtExit } from "./processes";
import { until } from "./until";

export type Schemas = components["schemas"];
export type Run = Schemas["Run"];
export type Role = "owner" | "contributor" | "reader";
export type Files = Record<string, string | Buffer>;

const HERE = dirname(fileURLToPath(import.meta.url));
export const PROGRAM = resolve(process.env.ROOST_BIN ?? join(HERE, "../../build/release/src/cli/roost"));
const OVER = ["Completed", "Failed", "Canceled"];

export interface Answer {
  status: number;
  text: string;
  json: any;
}
export interface Submit {
  experiment?: string;
  compute?: string;
  name?: string;
  tags?: Record<string, string>;
  env?: Record<string, string>;
  nodes?: number;
  processes?: number;
  priority?: number;
  environment?: string;
  cwd?: string;
}

export class Roost {
  private process: ChildProcess | undefined;
  private front: Front | undefined;
  private port = 0;
  private snapshots = 0;
  private readonly forget: () => void;
  url = "";
  token = "";
  readonly data: string;

  private constructor(readonly folder: string) {
    this.data = join(folder, "data");
    this.forget = killAtExit(this.data, folder);
  }

  /** Starts a server. Whoever calls this calls close() too. */
  static async start(): Promise<Roost> {
    if (!existsSync(PROGRAM)) throw new Error(`no roost program at ${PROGRAM}: build one (make build) or name it by ROOST_BIN`);
    const roost = new Roost(mkdtempSync(join(tmpdir(), "roost-studio-")));
    try {
      await roost.up();
    } catch (error) {
      await roost.close();
      throw error;
    }
    return roost;
  }

  /** Starts the server process; after a first time on the same port. */
  async up(): Promise<void> {
    const log = openSync(join(this.folder, "server.log"), "a");
    const words = ["up", "--data", this.data, "--port", String(this.port), "--python", "/usr/bin/python3"];
    const started = spawn(PROGRAM, words, { cwd: this.folder, env: this.environment, stdio: ["ignore", log, log], detached: true });
    closeSync(log);
    this.process = started;
    const info = await until("the server serves", 30, () => {
      if (started.exitCode !== null) throw new Error(`the server ended with ${started.exitCode}:\n${this.output.slice(-2000)}`);
      const file = join(this.data, "server.json");
      const read = existsSync(file) ? JSON.parse(readFileSync(file, "utf8") || "{}") : {};
      return read.pid === started.pid ? read : null;
    });
    this.url = info.url;
    this.port = Number(new URL(this.url).port);
    this.token = readFileSync(info.token_file, "utf8").trim();
    await until("the server answers", 30, async () => (await fetch(`${this.url}/healthz`).catch(() => null))?.ok);
    if (process.env.STUDIO_DIST && !this.front) this.front = await serveFront(process.env.STUDIO_DIST, this.url);
  }

  /** Where the browser goes: the server itself, or the pages of STUDIO_DIST before it. */
  get studio(): string {
    return this.front?.url ?? this.url;
  }

  get output(): string {
    return readFileSync(join(this.folder, "server.log"), "utf8");
  }

  private get environment(): NodeJS.ProcessEnv {
    return { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", HOME: this.folder, LANG: "C.UTF-8", TERM: "dumb", ROOST_DATA: this.data };
  }

  /** Ends the server process alone, as by power loss or by SIGTERM; runs go on. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const ending = this.process;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = new Promise((done) => ending.once("exit", done));
    ending.kill(signal);
    await ended;
  }

  async close(): Promise<void> {
    await this.front?.close();
    const running = this.process && this.process.exitCode === null && this.process.signalCode === null;
    if (running) await this.tryCli("down").catch(() => undefined);
    await killAllWith(this.data);
    this.forget();
    rmSync(this.folder, { recursive: true, force: true });
  }

  // The command line, as a user of this machine.

  async tryCli(...words: string[]): Promise<{ code: number; out: string; err: string }> {
    return this.cliAt(this.folder, words);
  }

  private cliAt(cwd: string, words: string[]): Promise<{ code: number; out: string; err: string }> {
    return new Promise((done, failed) => {
      const child = spawn(PROGRAM, words, { cwd, env: this.environment, stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
      let out = "";
      let err = "";
      child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
      child.stderr.setEncoding("utf8").on("data", (text) => (err += text));
      child.on("error", failed);
      child.on("close", (code) => done({ code: code ?? -1, out, err }));
    });
  }

  async cli(...words: string[]): Promise<string> {
    const done = await this.tryCli(...words);
    if (done.code !== 0) throw new Error(`roost ${words.join(" ")}: ${done.code}\n${done.out}${done.err}`);
    return done.out.trim();
  }

  /** A fresh link, as `roost studio` prints it. */
  async loginLink(token?: string): Promise<string> {
    const link = await this.cli("studio", ...(token ? ["--token", token] : []));
    const url = new URL(link);
    return `${this.studio}${url.pathname}${url.hash}`;
  }

  /** Hands in a folder with these files and a command; returns the run's id at once. */
  async submit(files: Files, command: string[], options: Submit = {}): Promise<string> {
    const folder = options.cwd ?? join(this.folder, `source-${++this.snapshots}`);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const words = ["submit", "--detach", "--json", "--source", folder, "--experiment", options.experiment ?? "tests"];
    const add = (option: string, value: string | number | undefined) => value !== undefined && words.push(option, String(value));
    add("--compute", options.compute);
    add("--name", options.name);
    add("--nodes", options.nodes);
    add("--processes", options.processes);
    add("--priority", options.priority);
    add("--environment", options.environment);
    if (!options.environment) add("--python", "/usr/bin/python3");
    for (const [key, value] of Object.entries(options.tags ?? {})) add("--tag", `${key}=${value}`);
    for (const [key, value] of Object.entries(options.env ?? {})) add("--env", `${key}=${value}`);
    const done = await this.cliAt(folder, [...words, "--", ...command]);
    if (done.code !== 0) throw new Error(`roost ${words.join(" ")}: ${done.code}\n${done.out}${done.err}`);
    return JSON.parse(done.out).id;
  }

  /** A run of Python source as train.py. */
  python(source: string, args: string[] = [], options: Submit = {}, files: Files = {}): Promise<string> {
    return this.submit({ ...files, "train.py": source }, ["python", "train.py", ...args], options);
  }

  /** Starts a sweep of Python source as train.py, as these lines of its file describe it; returns its id at once. */
  async sweep(lines: string, source: string, experiment = "sweeps"): Promise<string> {
    const folder = join(this.folder, `sweep-${++this.snapshots}`);
    mkdirSync(folder);
    writeFileSync(join(folder, "train.py"), source);
    writeFileSync(join(folder, "sweep.yaml"), `experiment: ${experiment}\nscript: train.py\npython: /usr/bin/python3\n${lines}\n`);
    return JSON.parse(await this.cli("sweep", "start", join(folder, "sweep.yaml"), "--detach", "--json")).id;
  }

  // The API.

  async api(method: string, path: string, body?: unknown, token = this.token): Promise<Answer> {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = JSON.stringify(body);
    const response = await fetch(`${this.url}/api/v1${path}`, init);
    const text = await response.text();
    let json: any;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: response.status, text, json };
  }

  async call<T = any>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.api(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  run(id: string): Promise<Run> {
    return this.call<Run>("GET", `/runs/${id}`);
  }

  /** The run once it is in one of these states; fails if it ends otherwise. */
  async wait(id: string, states: string | string[] = OVER, seconds = 60): Promise<Run> {
    const wanted = [states].flat();
    let last: Run | undefined;
    const found = await until(`${id} is ${wanted.join(" or ")}`, seconds, async () => {
      last = await this.run(id);
      return wanted.includes(last.status) || OVER.includes(last.status);
    }).then(() => last as Run);
    if (!wanted.includes(found.status)) throw new Error(`${id} is ${found.status}, not ${wanted.join(" or ")}: ${JSON.stringify(found.error)}`);
    return found;
  }

  async newToken(role: Role, name = `a ${role}`): Promise<string> {
    return (await this.call("POST", "/tokens", { name, role })).token;
  }
}
