// Times what a user waits for, in Chromium. Called by bench/studio.py, which gives a plan as JSON on standard input:
// {"chromium", "times", "pages": [{"name", "url", "login", "ready", "then"}]}, and reads results from standard output.
//   login  {"url", "body"}: asked before, for the cookie that it answers
//   ready  a CSS selector, with "text" for what must stand in it; timed from the start of the navigation to the first
//          frame that has it
//   then   {"fill", "text", "expect"}: pastes text and waits for a selector; {"press"}: and a key after it;
//          {"click", "expect"}: clicks and waits; {"zoom": selector}: drags over a chart
import { readFileSync } from "node:fs";
import { Chromium } from "./devtools.mjs";

const plan = JSON.parse(readFileSync(0, "utf8"));
const MOST = 60_000;
/** Milliseconds until a page that shows something is used: nobody is quicker. */
const REST = 500;

// In the page: `window.__shown(selector, text)` promises the moment of the first frame that has it.
function prepare(ready, text) {
  window.__shown = (selector, wanted) =>
    new Promise((resolve) => {
      const there = () => {
        const found = document.querySelector(selector);
        return found && (!wanted || found.textContent.includes(wanted));
      };
      const look = () => (there() ? requestAnimationFrame(() => resolve(performance.now())) : setTimeout(look, 4));
      look();
    });
  window.__ready = window.__shown(ready, text);
}

// In the page: from the first such event on an element to the first frame that has what it leads to.
function time(selector, event, expect, text) {
  window.__done = new Promise((resolve) => {
    document.querySelector(selector).addEventListener(
      event,
      () => {
        const began = performance.now();
        resolve(window.__shown(expect, text).then((at) => at - began));
      },
      { capture: true, once: true },
    );
  });
}

const within = (promise, what) => {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`${what}: not there after ${MOST / 1000} s`)), MOST)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

async function fill(tab, { fill: selector, text, expect, expectText, press }) {
  await tab.run((wanted) => document.querySelector(wanted).focus(), selector);
  await tab.run(time, selector, press ? "keydown" : "input", expect, expectText);
  // All of it at once, as from the clipboard: typing speed is not ours.
  await tab.send("Input.insertText", { text });
  if (press) for (const type of ["keyDown", "keyUp"]) await tab.send("Input.dispatchKeyEvent", { type, key: press, code: press, windowsVirtualKeyCode: 13, text: "\r" });
  return { typed: await tab.run(() => window.__done) };
}

async function click(tab, { click: selector, expect }) {
  await tab.run(time, selector, "click", expect);
  await tab.click(selector);
  return { clicked: await tab.run(() => window.__done) };
}

// Frames while the mouse drags over a chart, lets go, and the other charts follow.
async function zoom(tab, { zoom: selector }) {
  const box = await tab.run((wanted) => document.querySelector(wanted).getBoundingClientRect().toJSON(), selector);
  const y = box.y + box.height / 2;
  await tab.mouse("mouseMoved", box.x + box.width * 0.3, y);
  await tab.mouse("mousePressed", box.x + box.width * 0.3, y, { button: "left", buttons: 1, clickCount: 1 });
  await tab.run(() => {
    window.__frames = [];
    const frame = (at) => {
      window.__frames.push(at);
      window.__more !== false && requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  for (let i = 0; i < 60; ++i) await tab.mouse("mouseMoved", box.x + box.width * (0.3 + 0.4 * (i / 60)), y + (i % 3), { button: "left", buttons: 1 });
  await tab.mouse("mouseReleased", box.x + box.width * 0.7, y, { button: "left", clickCount: 1 });
  await new Promise((resolve) => setTimeout(resolve, 700));
  const frames = await tab.run(() => ((window.__more = false), window.__frames));
  const gaps = frames.slice(1).map((at, i) => at - frames[i]);
  return { frames_per_second: (1000 * gaps.length) / (frames.at(-1) - frames[0]), longest_ms: Math.max(...gaps) };
}

async function cookiesOf({ url, body }) {
  const answer = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`the login answered ${answer.status}: ${await answer.text()}`);
  const [pair] = answer.headers.get("set-cookie").split(";");
  const split = pair.indexOf("=");
  return [{ url, name: pair.slice(0, split), value: pair.slice(split + 1) }];
}

async function measure(browser, page) {
  const tab = await browser.freshTab(page.login ? await cookiesOf(page.login) : []);
  try {
    await tab.open(page.url, prepare, page.ready, page.text);
    const result = { ready: await tab.run(() => window.__ready) };
    result.scripts = await tab.run(() =>
      performance.getEntriesByType("resource").filter((r) => /\.js(\?|$)/.test(r.name)).reduce((sum, r) => sum + r.encodedBodySize, 0),
    );
    if (page.then) await new Promise((resolve) => setTimeout(resolve, REST));
    if (page.then?.fill) Object.assign(result, await fill(tab, page.then));
    if (page.then?.click) Object.assign(result, await click(tab, page.then));
    if (page.then?.zoom) Object.assign(result, await zoom(tab, page.then));
    return result;
  } finally {
    await tab.close();
  }
}

const results = {};
const browser = new Chromium(plan.chromium, { width: 1440, height: 900 });
try {
  // A browser that has just been started is slow at first, whatever it shows; users have theirs open.
  for (let i = 0; i < 2; ++i) await measure(browser, { url: "data:text/html,<h1>Some text</h1><input><table><tr><td>1", ready: "td" });
  for (const page of plan.pages) {
    results[page.name] = [];
    for (let i = 0; i < (plan.times ?? 3); ++i) results[page.name].push(await within(measure(browser, page), page.name));
  }
} finally {
  await browser.close();
}
console.log(JSON.stringify(results));
