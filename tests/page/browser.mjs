// A headless Chromium, controlled through the pipe of its protocol, so that only Node.js is needed.
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

export class Browser {
  constructor(program) {
    this.folder = mkdtempSync(join(tmpdir(), "heliograph-browser-"));
    this.process = spawn(
      program,
      [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        `--user-data-dir=${this.folder}`,
        "--remote-debugging-pipe",
        "about:blank",
      ],
      {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true},
    );
    this.waiting = new Map();
    this.listeners = [];
    this.next = 1;
    let received = Buffer.alloc(0);
    this.process.stdio[4].on("data", (bytes) => {
      received = Buffer.concat([received, bytes]);
      for (let end; (end = received.indexOf(0)) >= 0; received = received.subarray(end + 1))
        this.onMessage(JSON.parse(received.subarray(0, end).toString()));
    });
    this.process.stdio[3].on("error", () => {}); // Chromium has ended; `exit` tells those who wait
    this.process.on("exit", () => this.waiting.forEach(({fail}) => fail(new Error("the browser has ended"))));
    this.process.on("error", (error) => this.waiting.forEach(({fail}) => fail(error)));
  }

  onMessage(message) {
    const asked = this.waiting.get(message.id);
    if (!asked) return this.listeners.forEach((listener) => listener(message));
    this.waiting.delete(message.id);
    if (message.error) asked.fail(new Error(`${asked.method}: ${message.error.message}`));
    else asked.done(message.result);
  }

  ask(method, params = {}, sessionId = this.session) {
    const id = this.next++;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + "\0");
    return new Promise((done, fail) => this.waiting.set(id, {done, fail, method}));
  }

  nextEvent(method) {
    return new Promise((done) => {
      const listener = (message) => {
        if (message.method !== method) return;
        this.listeners.splice(this.listeners.indexOf(listener), 1);
        done(message.params);
      };
      this.listeners.push(listener);
    });
  }

  // Opens an address in a window of this width, in place of the page before, which would go on taking time.
  // this.complaints collects errors and warnings.
  async open(address, {width, height = 900, dark = false}) {
    this.session = undefined;
    if (this.target) await this.ask("Target.closeTarget", {targetId: this.target});
    this.target = (await this.ask("Target.createTarget", {url: "about:blank"})).targetId;
    this.session = (await this.ask("Target.attachToTarget", {targetId: this.target, flatten: true})).sessionId;
    this.complaints = [];
    this.requests = [];
    this.listeners = [
      (message) => {
        if (message.sessionId !== this.session) return;
        const {method, params} = message;
        if (method === "Runtime.exceptionThrown")
          this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        if (method === "Log.entryAdded" && params.entry.level !== "verbose")
          this.complaints.push(params.entry.text);
        if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
          this.complaints.push(params.args.map((a) => a.value ?? a.description).join(" "));
        if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
      },
    ];
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.ask(`${domain}.enable`);
    await this.ask("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: width < 600,
    });
    await this.ask("Emulation.setEmulatedMedia", {
      features: [{name: "prefers-color-scheme", value: dark ? "dark" : "light"}],
    });
    const loaded = this.nextEvent("Page.loadEventFired");
    await this.ask("Page.navigate", {url: address});
    await loaded;
    await this.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  }

  async evaluate(expression) {
    const answer = await this.ask("Runtime.evaluate", {expression, awaitPromise: true, returnByValue: true});
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? expression);
    return answer.result.value;
  }

  async press(key) {
    for (const type of ["keyDown", "keyUp"])
      await this.ask("Input.dispatchKeyEvent", {
        type,
        key,
        code: key,
        windowsVirtualKeyCode: key === "Tab" ? 9 : 13,
      });
  }

  // The whole page as PNG, in base64.
  async picture() {
    const height = await this.evaluate("document.documentElement.scrollHeight");
    const width = await this.evaluate("innerWidth");
    return (
      await this.ask("Page.captureScreenshot", {
        captureBeyondViewport: true,
        clip: {x: 0, y: 0, width, height, scale: 1},
      })
    ).data;
  }

  // Ends its helper processes too: they would write into the folder while it is removed.
  async close() {
    const ended = new Promise((done) => {
      this.process.removeAllListeners("exit");
      this.process.on("exit", done);
    });
    process.kill(-this.process.pid, "SIGKILL");
    await ended;
    for (let tries = 3000; tries > 0; tries--) {
      try {
        return rmSync(this.folder, {recursive: true, force: true});
      } catch (error) {
        if (tries === 1) throw error;
        await new Promise((done) => setTimeout(done, 100));
      }
    }
  }
}
