// Times what a user waits for, in Chromium. Called by bench/studio.py, which gives a plan as JSON on standard input:
// {"chromium", "login", "pages": [{"name", "url", "ready", "then"}]}, and reads results from standard output.
//   ready  a CSS selector; the time is that from the start of the navigation to the first frame that has it
//   then   {"fill", "text", "expect"}: types text and waits for a selector, {"click", "expect"}: clicks and waits, or
//          {"zoom": selector}: drags over a chart
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const plan = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({ executablePath: plan.chromium, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

// In the page: when the selector first matched, in milliseconds since the navigation began, at the frame that shows it.
function watch(selector) {
  window.__ready = new Promise((resolve) => {
    const look = () => (document.querySelector(selector) ? requestAnimationFrame(() => resolve(performance.now())) : setTimeout(look, 2));
    look();
  });
}

async function open(context, page) {
  const tab = await context.newPage();
  await tab.addInitScript(watch, page.ready);
  await tab.goto(page.url, { waitUntil: "commit" });
  const ready = await tab.evaluate(() => window.__ready);
  const scripts = await tab.evaluate(() =>
    performance.getEntriesByType("resource").filter((r) => /\.js(\?|$)/.test(r.name)).reduce((sum, r) => sum + r.encodedBodySize, 0),
  );
  return { tab, ready, scripts };
}

async function type(tab, { fill, text, expect }) {
  await tab.evaluate((selector) => {
    const input = document.querySelector(selector.fill);
    window.__typed = new Promise((resolve) =>
      input.addEventListener("input", () => {
        const began = performance.now();
        const look = () => (document.querySelector(selector.expect) ? requestAnimationFrame(() => resolve(performance.now() - began)) : setTimeout(look, 2));
        look();
      }, { once: true }),
    );
  }, { fill, expect });
  // All of it at once, as from the clipboard: typing speed is not ours.
  await tab.fill(fill, text);
  return tab.evaluate(() => window.__typed);
}

async function click(tab, { click, expect }) {
  await tab.evaluate((selector) => {
    document.querySelector(selector.click).addEventListener("click", () => {
      const began = performance.now();
      window.__clicked = new Promise((resolve) => {
        const look = () => (document.querySelector(selector.expect) ? requestAnimationFrame(() => resolve(performance.now() - began)) : setTimeout(look, 2));
        look();
      });
    }, { capture: true, once: true });
  }, { click, expect });
  await tab.click(click);
  return tab.evaluate(() => window.__clicked);
}

// Frames while the mouse drags over a chart, lets go, and the other charts follow.
async function zoom(tab, selector) {
  const box = await tab.locator(selector).first().boundingBox();
  const y = box.y + box.height / 2;
  await tab.mouse.move(box.x + box.width * 0.3, y);
  await tab.mouse.down();
  await tab.evaluate(() => {
    window.__frames = [];
    const frame = (at) => {
      window.__frames.push(at);
      window.__more !== false && requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  for (let i = 0; i < 60; ++i) await tab.mouse.move(box.x + box.width * (0.3 + 0.4 * (i / 60)), y + (i % 3));
  await tab.mouse.up();
  await tab.waitForTimeout(700);
  const frames = await tab.evaluate(() => ((window.__more = false), window.__frames));
  const gaps = frames.slice(1).map((at, i) => at - frames[i]);
  return { frames_per_second: (1000 * gaps.length) / (frames.at(-1) - frames[0]), longest_ms: Math.max(...gaps) };
}

const results = {};
for (const page of plan.pages) {
  const runs = [];
  for (let i = 0; i < (plan.times ?? 3); ++i) {
    // Each time a browser that has nothing kept but, where there is one, the login.
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, storageState: plan.state });
    if (page.login) {
      const tab = await context.newPage();
      await tab.request.post(page.login.url, { data: page.login.body });
      await tab.close();
    }
    const { tab, ready, scripts } = await open(context, page);
    const result = { ready, scripts };
    if (page.then?.fill) result.typed = await type(tab, page.then);
    if (page.then?.click) result.clicked = await click(tab, page.then);
    if (page.then?.zoom) Object.assign(result, await zoom(tab, page.then.zoom));
    runs.push(result);
    await context.close();
  }
  results[page.name] = runs;
}
await browser.close();
console.log(JSON.stringify(results));
