/// WebKitGTK, driven by WebDriver (https://www.w3.org/TR/webdriver/), with what tour.mjs uses of puppeteer's browsers and pages.

import { spawn } from "node:child_process";
import { setTimeout as after } from "node:timers/promises";

const KEYS = { Control: "\uE009", Enter: "\uE007" };
const PORT = 45679, ELEMENT = "element-6066-11e4-a52e-4f735466cecf"; // the name that WebDriver gives elements

/// Needs WebKitWebDriver and xvfb-run (apt-get install webkit2gtk-driver xvfb). Calls to a page wait up to `patience` ms.
export async function webkit(patience) {
  const driver = spawn("xvfb-run", ["-a", "-s", "-screen 0 1440x1000x24", "WebKitWebDriver", `--port=${PORT}`], { detached: true, stdio: "ignore" });
  let session = "";
  async function ask(method, path, body) {
    const answer = await fetch(`http://127.0.0.1:${PORT}/session${session}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (!answer.ok) throw Error(`${method} ${path}: ${value.message}`);
    return value;
  }
  const close = () => process.kill(-driver.pid);
  const until = async (found, what) => {
    for (const end = performance.now() + patience; performance.now() < end; await after(100)) {
      const value = await found();
      if (value) return value;
    }
    throw Error(`not within ${patience / 1000} s: ${what}`);
  };
  const capabilities = { alwaysMatch: { timeouts: { script: patience, pageLoad: patience } } };
  const { sessionId } = await until(() => ask("POST", "", { capabilities }).catch(() => false), "a session of WebKitWebDriver");
  session = `/${sessionId}`;

  const execute = (script, args) => ask("POST", "/execute/sync", { script, args });
  const call = (action, ...args) => execute(`return (${action})(...arguments)`, args);
  const element = async (selector) => (await ask("POST", "/element", { using: "css selector", value: selector }))[ELEMENT];
  const key = (...types) => async (name) => {
    await ask("POST", "/actions", { actions: [{ type: "key", id: "keys", actions: types.map((type) => ({ type, value: KEYS[name] ?? name })) }] });
  };
  const page = {
    goto: (url) => ask("POST", "/url", { url }),
    evaluate: call,
    $eval: (selector, action, ...args) => execute(`const [selector, ...args] = arguments; return (${action})(document.querySelector(selector), ...args)`, [selector, ...args]),
    click: async (selector) => ask("POST", `/element/${await element(selector)}/click`, {}),
    waitForFunction: (action, _, ...args) => until(() => call(action, ...args), action),
    async waitForSelector(selector) {
      await until(() => call((each) => document.querySelector(each) !== null, selector), selector);
      return { focus: () => page.$eval(selector, (each) => each.focus()), evaluate: (action) => page.$eval(selector, action) };
    },
    keyboard: { down: key("keyDown"), up: key("keyUp"), press: key("keyDown", "keyUp") },
  };
  return { newPage: () => page, close };
}
