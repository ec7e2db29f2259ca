// A tab of the studio, and everything that went wrong in it.
import type { BrowserContext, Page } from "playwright-core";
import type { Roost } from "./roost";
import { until } from "./until";

export interface Problem {
  kind: "console" | "exception" | "policy" | "dialog";
  text: string;
}

export class Tab {
  readonly problems: Problem[] = [];
  private readonly allowed: RegExp[] = [];

  private constructor(
    readonly page: Page,
    readonly roost: Roost,
  ) {}

  static async open(context: BrowserContext, roost: Roost): Promise<Tab> {
    const page = await context.newPage();
    const tab = new Tab(page, roost);
    page.setDefaultTimeout(30_000);
    page.on("console", (message) => message.type() === "error" && tab.note("console", `${message.text()} (${message.location().url})`));
    page.on("pageerror", (error) => tab.note("exception", String(error.stack ?? error)));
    page.on("dialog", (dialog) => {
      tab.note("dialog", dialog.message());
      void dialog.dismiss();
    });
    await page.exposeFunction("__policy", (text: string) => tab.note("policy", text));
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) =>
        (window as any).__policy(`${event.violatedDirective} ${event.blockedURI} in ${event.documentURI}`),
      );
    });
    return tab;
  }

  private note(kind: Problem["kind"], text: string): void {
    this.problems.push({ kind, text });
  }

  /** What the test provokes itself, such as an answer of 404, which Chromium tells as an error. */
  allow(...patterns: RegExp[]): void {
    this.allowed.push(...patterns);
  }

  unexpected(): string[] {
    // The page is left while Chromium still fetches its icon: of an empty page it may not, and says so.
    const left = [/more-private address space.*\(about:blank\)/, /net::ERR_FAILED .*\/assets\/icon-/];
    const allowed = [...this.allowed, ...left];
    return this.problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem.text))).map((one) => `${one.kind}: ${one.text}`);
  }

  /** Through the link that `roost studio` prints. */
  async logIn(token?: string): Promise<void> {
    await this.page.goto(await this.roost.loginLink(token));
    await this.page.getByRole("navigation", { name: "Pages" }).waitFor();
  }

  async go(path: string): Promise<void> {
    await this.page.goto(this.roost.studio + path);
  }

  /** What the server answers to this tab, with its cookie and, unless told otherwise, with the header of the studio. */
  call(method: string, path: string, body?: unknown, headers: Record<string, string> = { "X-Roost-Studio": "1" }): Promise<{ status: number; text: string }> {
    return this.page.evaluate(
      async ([method, path, body, headers]) => {
        const init: RequestInit = { method, headers: { ...headers, ...(body === null ? {} : { "Content-Type": "application/json" }) } };
        if (body !== null) init.body = body;
        const answer = await fetch(`/api/v1${path}`, init);
        return { status: answer.status, text: await answer.text() };
      },
      [method, path, body === undefined ? null : JSON.stringify(body), headers] as [string, string, string | null, Record<string, string>],
    );
  }

  /** Marks the document, so that a test can say that it was never loaded anew. */
  async mark(): Promise<void> {
    await this.page.evaluate(() => ((window as any).__mark = true));
  }

  isMarked(): Promise<boolean> {
    return this.page.evaluate(() => (window as any).__mark === true);
  }

  /** Waits until the server's events reach this page. */
  async live(): Promise<void> {
    await this.page.locator(".live.on").waitFor();
  }

  /** Waits until there is a page and nothing in view is still being loaded; what is further down may wait to come near. */
  async settled(): Promise<void> {
    await this.page.waitForFunction(() =>
      document.querySelector("main")?.innerText.trim() &&
      [...document.querySelectorAll(".loading")].every((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return bottom <= 0 || top >= innerHeight;
      }),
    );
  }

  until<T>(what: string, ask: () => T | Promise<T>, seconds = 30): Promise<NonNullable<T>> {
    return until(what, seconds, ask);
  }
}
