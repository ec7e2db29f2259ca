// Chromium by its DevTools protocol, over a pipe, with no more of it switched on than a measurement needs. Playwright
// listens to the network, for which Chromium notes where in the script each request came from; that alone costs a page of
// this size 80 ms that no user waits for.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Chromium {
  #next = 1;
  #waiting = new Map();
  #rest = "";

  constructor(program, { width, height }) {
    this.profile = mkdtempSync(join(tmpdir(), "measure-"));
    const options = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", "--hide-scrollbars"];
    const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-features=Translate,OptimizationHints"];
    this.process = spawn(program, [...options, ...quiet, `--window-size=${width},${height}`, `--user-data-dir=${this.profile}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    this.process.stdio[4].setEncoding("utf8").on("data", (text) => this.#read(text));
    this.process.on("exit", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("Chromium ended"));
    });
    this.size = { width, height };
  }

  #read(text) {
    const messages = (this.#rest + text).split("\0");
    this.#rest = messages.pop();
    for (const message of messages.map((one) => JSON.parse(one))) {
      const asked = this.#waiting.get(message.id);
      if (!asked) continue;
      this.#waiting.delete(message.id);
      if (message.error) asked.reject(new Error(`${asked.method}: ${message.error.message}`));
      else asked.resolve(message.result);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { method, resolve, reject }));
  }

  /** A tab of a browser that has nothing kept but these cookies. */
  async freshTab(cookies = []) {
    const { browserContextId } = await this.send("Target.createBrowserContext");
    if (cookies.length > 0) await this.send("Storage.setCookies", { cookies, browserContextId });
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId, ...this.size });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this, sessionId, browserContextId);
    await tab.send("Emulation.setDeviceMetricsOverride", { ...this.size, deviceScaleFactor: 1, mobile: false });
    return tab;
  }

  async close() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    await this.send("Browser.close").catch(() => {});
    await ended;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Tab {
  constructor(browser, session, context) {
    Object.assign(this, { browser, session, context });
  }
  send(method, params) {
    return this.browser.send(method, params, this.session);
  }
  /** Runs a function in the page with arguments that JSON can hold, and waits for what it promises. */
  async run(code, ...given) {
    const expression = `(${code})(${given.map((one) => JSON.stringify(one)).join(",")})`;
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  /** Opens an address; the function runs in the new page before anything of it does. */
  async open(url, code, ...given) {
    await this.send("Page.enable");
    await this.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${code})(${given.map((one) => JSON.stringify(one)).join(",")})` });
    await this.send("Page.navigate", { url });
  }
  mouse(type, x, y, more = {}) {
    return this.send("Input.dispatchMouseEvent", { type, x, y, button: "none", ...more });
  }
  async click(selector) {
    const { x, y } = await this.run((wanted) => {
      const box = document.querySelector(wanted).getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }, selector);
    const left = { button: "left", clickCount: 1 };
    await this.mouse("mouseMoved", x, y);
    await this.mouse("mousePressed", x, y, left);
    await this.mouse("mouseReleased", x, y, left);
  }
  close() {
    return this.browser.send("Target.disposeBrowserContext", { browserContextId: this.context });
  }
}
