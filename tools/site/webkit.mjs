/// Drives WebKitGTK by WebDriver (https://www.w3.org/TR/webdriver/), with the part of puppeteer's interface that tour.mjs uses.

import { spawn } from "node:child_process";
import { setTimeout as after } from "node:timers/promises";

const KEYS = { Control: "\uE009", Enter: "\uE007" };
const PORT = 45679, ELEMENT = "element-6066-11e4-a52e-4f735466cecf"; // the key under which WebDriver returns an element's id

/// Needs WebKitWebDriver and xvfb-run (apt-get install webkit2gtk-driver xvfb). Calls to a page wait up to `patience` ms. Files
/// are downloaded to `home`, the home folder of the browser.
export async function webkit(patience, home) {
  const driver = spawn("xvfb-run", ["-a", "-s", "-screen 0 1440x1000x24", "WebKitWebDriver", `--port=${PORT}`],
    { detached: true, stdio: "ignore", env: { ...process.env, HOME: home } });
  let session = "";
  async function ask(method, path, body) {
    const answer = await fetch(`http://127.0.0.1:${PORT}/session${session}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (!answer.ok) throw Error(`${method} ${path}: ${value.error}, ${value.message}`);
    return value;
  }
  const close = () => process.kill(-driver.pid);
  const until = async (found, what) => {
    for (const end = performance.now() + patience; performance.now() < end; await after(100)) {
      const value = await found();
      if (value) return value;
    }
    throw Error(`timed out after ${patience / 1000} s: ${what}`);
  };
  const capabilities = { alwaysMatch: { timeouts: { script: patience, pageLoad: patience } } };
  const { sessionId } = await until(() => ask("POST", "", { capabilities }).catch(() => false), "a session of WebKitWebDriver");
  session = `/${sessionId}`;

  let current; // the window that WebDriver's commands go to

  /// The page of the window `handle`.
  function pageOf(handle) {
    async function command(...request) {
      if (current !== handle) await ask("POST", "/window", { handle });
      current = handle;
      return ask(...request);
    }
    const execute = (script, args) => command("POST", "/execute/sync", { script, args });
    const call = (action, ...args) => execute(`return (${action})(...arguments)`, args);
    const element = async (selector) => `/element/${(await command("POST", "/element", { using: "css selector", value: selector }))[ELEMENT]}`;
    const key = (...types) => async (name) => {
      await command("POST", "/actions", { actions: [{ type: "key", id: "keys", actions: types.map((type) => ({ type, value: KEYS[name] ?? name })) }] });
    };
    const press = key("keyDown", "keyUp");
    const $eval = (selector, action, ...args) =>
      execute(`const [selector, ...args] = arguments; return (${action})(document.querySelector(selector), ...args)`, [selector, ...args]);
    const focus = (selector) => $eval(selector, (each) => each.focus());
    const of = (selector) => ({
      focus: () => focus(selector),
      evaluate: (action) => $eval(selector, action),
      uploadFile: async (path) => command("POST", `${await element(selector)}/value`, { text: path }),
    });
    const $ = async (selector) => await call((each) => document.querySelector(each) !== null, selector) ? of(selector) : null;
    return {
      $, $eval, focus, evaluate: call,
      goto: (url) => command("POST", "/url", { url }),
      reload: () => command("POST", "/refresh", {}),
      bringToFront: () => command("POST", "/window", { handle }),
      async click(selector) {
        await $eval(selector, (each) => each.scrollIntoView({ block: "center" })); // the driver does not scroll
        await command("POST", `${await element(selector)}/click`, {});
      },
      waitForFunction: (action, _, ...args) => until(() => call(action, ...args), action),
      waitForSelector: (selector) => until(() => $(selector), selector),
      keyboard: { press, down: key("keyDown"), up: key("keyUp"), type: async (text) => { for (const each of text) await press(each); } },
    };
  }
  return { newPage: async () => pageOf((await ask("POST", "/window/new", { type: "tab" })).handle), close };
}
