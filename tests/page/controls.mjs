// What the controls of a page do: each of them changes what the page shows, to what the data of the page say.
//
// Each function gets a browser in which the page is open, and expect(holds, what).

const wait = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

// A fabric has the same colours on all pages. `known` has those of the pages before.
export async function checkStyles(browser, expect, known) {
  const seen = await browser.evaluate(`(() => {
    const of = (id) => JSON.parse(document.getElementById(id).textContent || "{}").fabrics ?? [];
    const root = getComputedStyle(document.documentElement);
    return [...of("results"), ...of("meanings")].filter((style) => style.light).map((style, i) =>
      [style.fabric, [root.getPropertyValue("--fabric-" + i).trim(), style.light, style.dark, style.dash, style.marker].slice(0).join()]);
  })()`);
  for (const [fabric, style] of seen) {
    const [shown, light, dark] = style.split(",");
    expect(shown === light || shown === dark, `${fabric} has the colour ${shown}`);
    const same = style.slice(shown.length);
    expect((known.get(fabric) ?? same) === same, `${fabric} is drawn as ${same}, and on another page as ${known.get(fabric)}`);
    known.set(fabric, same);
  }
}

// A bound has no bar and is named by its line. Every other fabric has its bar, in its colour, and its words.
export async function checkBars(browser, expect) {
  const seen = await browser.evaluate(`(() => {
    const styles = JSON.parse(document.getElementById("meanings").textContent).fabrics;
    const {runs} = JSON.parse(document.getElementById("results").textContent);
    const svg = document.querySelector("#time svg");
    const probe = document.body.appendChild(document.createElement("i"));
    const color = (value) => { probe.style.color = value; return getComputedStyle(probe).color; };
    const bounds = styles.filter((style) => style.is_bound);
    const networks = bounds.length === styles.length ? styles : styles.filter((style) => !style.is_bound);
    const found = {
      networks: networks.map(({fabric}) => fabric),
      colors: networks.map(({fabric}) => color("var(--fabric-" + styles.findIndex((s) => s.fabric === fabric) + ")")),
      bars: [...svg.querySelectorAll("g[aria-label='bar'] rect")].map((bar) => getComputedStyle(bar).fill),
      lines: svg.querySelectorAll("g.bound line, line.bound").length,
      bounds: networks === styles ? 0 : bounds.length,
      text: svg.textContent,
      facts: document.getElementById("networks")?.textContent ?? "",
      told: runs.flatMap(({fabric, network}) => (network ? [fabric, ...network.includes, ...network.differs, ...network.ignores] : [])),
      marks: runs.filter((run) => run.network?.differs.length).length,
      compared: runs.filter((run) => run.compared && networks.some((n) => n.fabric === run.fabric)).map((run) => run.compared),
      sentences: [document.getElementById("answer"), ...document.querySelectorAll("#insights li")].map((e) => e.textContent),
    };
    probe.remove();
    return found;
  })()`);
  expect(seen.bars.join() === seen.colors.join(), `the bars have the colours ${seen.bars}, the fabrics ${seen.colors}`);
  expect(seen.lines === seen.bounds, `${seen.lines} lines of ${seen.bounds} bounds`);
  for (const fabric of seen.networks) expect(seen.text.includes(fabric), `no bar is named ${fabric}`);
  for (const words of seen.compared) expect(seen.text.includes(words), `no bar says ${words}: ${seen.text}`);
  for (const words of seen.sentences.length > 1 ? seen.compared.filter((words) => words !== "as fast") : [])
    expect(seen.sentences.some((text) => text.includes(words)), `no sentence says ${words}: ${seen.sentences.join(" ")}`);
  for (const text of seen.told) expect(seen.facts.includes(text), `what the networks are does not say ${text}`);
  expect((seen.text.match(/⚠/g) ?? []).length === seen.marks, `${seen.marks} networks do not compare fairly: ${seen.text}`);
  expect(!/0\.\d+ times as fast/.test(seen.text), `a bar is a fraction as fast: ${seen.text}`);
}

// Each time and each view of the ranks draws something else, and says so in words.
export async function checkRanks(browser, expect) {
  const seen = await browser.evaluate(`(async () => {
    const shown = () => ({
      words: document.querySelector("#per-rank figure").getAttribute("aria-label"),
      picture: document.querySelector("#per-rank figure").innerHTML,
      marks: document.querySelectorAll("#per-rank figure svg :is(path, rect, line)").length,
      keys: getComputedStyle(document.querySelector("#per-rank .legend")).display !== "none",
    });
    const all = [];
    const views = [...document.querySelectorAll("#per-rank input[name=rank-view]")];
    for (const view of views.length ? views : [null])
      for (const measure of document.querySelectorAll("#per-rank input[name=rank-measure]")) {
        view?.click();
        measure.click();
        await ${wait};
        all.push({view: view?.value, measure: measure.value, ...shown()});
      }
    return all;
  })()`);
  expect(seen.length >= 3, `${seen.length} views of the ranks`);
  const names = {idle_s: "waiting", compute_s: "computing", finish_s: "until it ends"};
  for (const one of seen) {
    const name = `ranks, ${one.measure} as ${one.view}`;
    expect(one.words.startsWith(names[one.measure]), `${name}: the words are ${one.words}`);
    expect(one.marks > 0, `${name}: nothing is drawn`);
    expect(one.keys === (one.view === "lines"), `${name}: the key of the lines is ${one.keys ? "" : "not "}shown`);
  }
  expect(new Set(seen.map((one) => one.words)).size === seen.length, "two views of the ranks have the same words");
  for (const view of new Set(seen.map((one) => one.view))) {
    const pictures = new Set(seen.filter((one) => one.view === view).map((one) => one.picture));
    expect(pictures.size > 1, `ranks as ${view}: all times look alike`);
  }
}

// For every choice of every filter, the points that are drawn and the rows of the table are those that the data have: a
// point is a group, so no point is made of several. Points of different values are apart on the horizontal axis.
export async function checkFilters(browser, expect) {
  const seen = await browser.evaluate(`(async () => {
    const {groups} = JSON.parse(document.getElementById("results").textContent);
    const selects = () => [...document.querySelectorAll("#filters select")];
    const named = (name) => selects().find((select) => select.closest("label").firstChild.textContent === name);
    const choose = async (select, value) => {
      select.value = value;
      select.dispatchEvent(new Event("change"));
      await ${wait};
    };
    const state = () => {
      const of = (select) => [select.closest("label").firstChild.textContent, select.selectedOptions[0].textContent];
      const {Show: measure = "time", Over: across, ...values} = Object.fromEntries(selects().map(of));
      const fabrics = [...document.querySelectorAll("#filters input:checked")].map((box) => box.value);
      const has = (g) =>
        (fabrics.length === 0 && !document.querySelector("#filters input") || fabrics.includes(g.fabric)) &&
        Object.entries(values).every(([name, value]) =>
          value === "each value" || (name === "program" ? g.program : g.settings[name] || "none") === value);
      const due = groups.filter(has);
      const drawn = [...document.querySelectorAll("#curves svg g[aria-label='dot'] > *")];
      const left = (dot) => Number(dot.getAttribute("cx") ?? /translate\\(([-0-9.]+)/.exec(dot.getAttribute("transform"))?.[1]);
      const setting = (g) => (across === "program" ? g.program : g.settings[across]);
      const shownDue = due.filter((g) => measure === "time" || g.speedup);
      return {
        places: new Set(drawn.map((dot) => Math.round(left(dot)))).size,
        values: across ? new Set(shownDue.map(setting)).size : null,
        what: JSON.stringify({measure, across, values, fabrics}),
        due: shownDue.length,
        rows: due.length,
        dots: drawn.length,
        tableRows: document.querySelectorAll("#numbers tbody tr").length,
        title: document.querySelector("#curves h2").textContent,
        measure, across,
      };
    };
    const all = [state()];
    for (let i = 0; i < selects().length; i++) {
      const options = [...selects()[i].options].map((option) => option.value), before = selects()[i].value;
      for (const value of [...options, before]) {
        await choose(selects()[i], value);
        all.push(state());
      }
    }
    for (const box of document.querySelectorAll("#filters input")) {
      box.click();
      await ${wait};
      all.push(state());
    }
    const none = document.querySelector("#curves").textContent;
    for (const box of document.querySelectorAll("#filters input")) box.click();
    await ${wait};
    all.push(state());
    return {all, none, boxes: document.querySelectorAll("#filters input").length};
  })()`);
  for (const one of seen.all) {
    expect(one.dots === one.due, `${one.what}: ${one.dots} points are drawn, ${one.due} groups match`);
    expect(one.tableRows === one.rows, `${one.what}: the table has ${one.tableRows} rows, ${one.rows} groups match`);
    expect(one.values === null || one.places === one.values, `${one.what}: ${one.values} values of ${one.across} are at ${one.places} places`);
    expect(one.title.startsWith(one.measure === "time" ? "Time over" : "Speedup over"), `${one.what}: the title is ${one.title}`);
    if (one.across) expect(one.title.endsWith(one.across), `${one.what}: the title is ${one.title}`);
  }
  if (seen.boxes) expect(/Nothing matches/.test(seen.none), `without a fabric the page says ${seen.none}`);
}

// Fabrics that are not compared fairly are marked in the answer, in the legend and in the table, and their reasons stand
// below the answer. The other fabrics have no mark.
export async function checkUnequal(browser, expect) {
  const seen = await browser.evaluate(`(() => {
    const {groups, reasons} = JSON.parse(document.getElementById("results").textContent);
    const list = document.getElementById("unequal");
    const of = (fabric) => [...new Set(groups.filter((g) => g.fabric === fabric && g.reason).map((g) => reasons[g.reason]))];
    const fabrics = [...new Set(groups.map((g) => g.fabric))];
    const names = [...document.querySelectorAll("#curves .legend li")].map((li) => li.textContent);
    return {
      due: fabrics.map((fabric) => ({fabric, reasons: of(fabric)})).filter((one) => one.reasons.length),
      listed: list ? [...list.querySelectorAll("dt")].map((dt) => dt.textContent) : [],
      told: list ? list.textContent : "",
      answer: document.getElementById("answer").textContent,
      strong: [...document.querySelectorAll("#answer strong")].map((e) => e.textContent),
      compared: groups.filter((g) => g.compared).map((g) => g.compared),
      legend: names.filter((name) => name.includes("⚠")).map((name) => name.split(/[, ]/)[0]),
      names: names.map((name) => name.split(/[, ]/)[0]),
      table: [...document.querySelectorAll("#numbers thead th")].some((th) => th.textContent === "differs"),
    };
  })()`);
  expect(seen.listed.join() === seen.due.map((one) => one.fabric).join(), `reasons are given of ${seen.listed}`);
  for (const {fabric, reasons} of seen.due) {
    for (const reason of reasons.slice(0, 3)) expect(seen.told.includes(reason), `${fabric}: nothing says ${reason}`);
    expect(!seen.names.includes(fabric) || seen.legend.includes(fabric), `the legend marks ${seen.legend}, not ${fabric}`);
  }
  for (const fabric of seen.legend) expect(seen.due.some((one) => one.fabric === fabric), `the legend marks ${fabric}`);
  expect(/⚠/.test(seen.answer) === seen.due.length > 0, `the answer is ${seen.answer}`);
  const said = seen.strong.map((text) => text.replace(/.* (to|and) (?=[0-9a])/, "").replace(/ (than|as)$/, "")).filter((text) => /fast|slow/.test(text));
  for (const words of said) expect(seen.compared.includes(words), `no point is ${words}: ${seen.answer}`);
  expect(said.length > 0 || !seen.compared.length, `nothing is compared: ${seen.answer}`);
  expect(seen.table === seen.due.length > 0, "the table has another column of differences");
}

// Where only sizes vary of the program, the answer says what is fastest at which of them.
export async function checkSizes(browser, expect) {
  const seen = await browser.evaluate(`(() => {
    const {axes, fabrics, groups} = JSON.parse(document.getElementById("results").textContent);
    const sizes = axes.find((axis) => axis.endsWith(".bytes"));
    const said = [...document.querySelectorAll("#answer strong")].flatMap((strong) => {
      const found = /^(?: (?:is|are) the fastest)?(?: at all sizes,)? (?:at|from) ([0-9.]+ [A-Za-z]+|0 B)(?: to ([0-9.]+ [A-Za-z]+))?/.exec(strong.nextSibling?.textContent ?? "");
      return found ? [{name: strong.textContent, from: found[1], to: found[2] ?? found[1]}] : [];
    });
    const bound = new Set(fabrics.filter((style) => style.is_bound).map((style) => style.fabric));
    const order = [...new Set(groups.map((g) => g.settings[sizes]))];
    const label = (g) => axes.filter((axis) => axis !== sizes && axis !== "workload").map((axis) => axis + " " + g.settings[axis]);
    return {sizes, said, order, groups: groups.filter((g) => !bound.has(g.fabric)).map((g) => ({size: g.settings[sizes], fabric: g.fabric, label: label(g), time: g.makespan_s.mean}))};
  })()`);
  if (!seen.said.length) return false;
  let at = 0;
  for (const {name, from, to} of seen.said)
    for (; at <= seen.order.indexOf(to); at++) {
      const here = seen.groups.filter((g) => g.size === seen.order[at]);
      const least = Math.min(...here.map((g) => g.time));
      expect(at >= seen.order.indexOf(from), `${seen.order[at]} is in no range of the answer`);
      expect(here.some((g) => g.time <= 1.0005 * least && g.label.every((part) => name.includes(part))), `${name} is not the fastest at ${seen.order[at]}`);
    }
  expect(at === seen.order.length || seen.said.length === 5, `the answer ends before ${seen.order[at]}`);
  return true;
}

// Where the baseline names parameters, the answer compares each of their other values with it, and the baseline, which is as
// fast as itself, has no colour on the map.
export async function checkRivals(browser, expect) {
  const seen = await browser.evaluate(`(() => {
    const {baseline, groups} = JSON.parse(document.getElementById("results").textContent);
    const [name, own] = Object.entries(baseline).find(([name]) => name !== "fabric") ?? [];
    if (!name || !groups[0].compared) return null;
    const cells = [...document.querySelectorAll("#map g[aria-label='cell'] rect")].map((cell) => [cell.getAttribute("fill"), cell.textContent]);
    return {
      name, own,
      values: [...new Set(groups.map((g) => g.settings[name]))],
      answer: document.getElementById("answer").textContent,
      same: cells.filter(([, text]) => text.endsWith(": 1.000×") && text.includes(own)).map(([fill]) => fill),
    };
  })()`);
  if (!seen) return;
  for (const value of seen.values)
    expect(new RegExp(`${seen.name} ${value} is (?!the fastest)`).test(seen.answer) === (value !== seen.own), `the answer compares ${value} with ${seen.own}: ${seen.answer}`);
  expect(seen.same.length > 0 && seen.same.every((fill) => fill === "var(--card)"), `what is as fast as itself has the colours ${seen.same}`);
}

// What is typed into a search leaves the rows that have it.
export async function checkSearch(browser, expect) {
  const seen = await browser.evaluate(`(() => {
    const input = document.querySelector("main input[type=search]");
    const lines = [...input.parentElement.querySelectorAll("tbody tr")];
    const word = lines[Math.floor(lines.length / 2)].firstChild.textContent;
    const type = (text) => {
      input.value = text;
      input.dispatchEvent(new Event("input"));
      return lines.filter((line) => getComputedStyle(line).display !== "none");
    };
    return {
      all: type("").length,
      lines: lines.length,
      right: type(word).length >= 1 && type(word).length < lines.length && type(word).every((line) => line.textContent.includes(word)),
      none: type("no such thing").length,
      again: type("").length,
    };
  })()`);
  expect(seen.right && seen.none === 0, `the search shows ${JSON.stringify(seen)}`);
  expect(seen.all === seen.lines && seen.again === seen.lines, `without a word the search shows ${seen.all} of ${seen.lines}`);
}

// Every slot of the slider has its words and as many coloured lines as links in use.
export async function checkSlots(browser, expect) {
  const seen = await browser.evaluate(`(async () => {
    const data = JSON.parse(document.getElementById("results").textContent);
    const input = document.getElementById("slot");
    const all = [];
    for (let slot = 0; slot <= Number(input.max); slot++) {
      input.value = slot;
      input.dispatchEvent(new Event("input"));
      await ${wait};
      all.push({slot, words: document.getElementById("slot-says").textContent, spoken: input.getAttribute("aria-valuetext"),
                due: data.connections.filter((c) => c[2] === slot).length});
    }
    return all;
  })()`);
  for (const one of seen) {
    expect(one.words.startsWith(`Slot ${one.slot}: ${one.due} connection`), `slot ${one.slot} with ${one.due} connections: ${one.words}`);
    expect(one.spoken === `slot ${one.slot}`, `slot ${one.slot} is spoken as ${one.spoken}`);
  }
}

// A table is made when its details are opened, and has all rows of the file, up to a limit.
export async function checkTables(browser, expect) {
  const seen = await browser.evaluate(`(async () => {
    const some = [...document.querySelectorAll("main section details")].filter((d) => d.firstChild.textContent.startsWith("The numbers"));
    for (const d of some) d.open = true;
    await new Promise((done) => setTimeout(done, 50));
    await ${wait};
    return some.map((d) => ({id: d.closest("section").id, rows: d.querySelectorAll("tbody tr").length}));
  })()`);
  for (const {id, rows} of seen) expect(rows > 0 && rows <= 5000, `the table of ${id} has ${rows} rows`);
}

// Each button that saves a file saves one under the name that it shows: a line with names, and rows as long.
export async function checkDownloads(browser, expect) {
  const seen = await browser.evaluate(`(async () => {
    const [makeAddress, click] = [URL.createObjectURL, HTMLAnchorElement.prototype.click];
    const buttons = [...document.querySelectorAll("main button")].filter((b) => b.textContent.startsWith("Save as "));
    let blob, name;
    URL.createObjectURL = (made) => { blob = made; return "#"; };
    HTMLAnchorElement.prototype.click = function () { name = this.download; };
    const all = [];
    for (const button of buttons) {
      blob = name = undefined;
      button.click();
      const text = blob ? await blob.text() : "";
      const rows = text.trimEnd().split("\\n").map((line) => line.replace(/"([^"]|"")*"/g, "x").split(",").length);
      all.push({button: button.textContent, name, rows: rows.length, even: new Set(rows).size === 1});
    }
    [URL.createObjectURL, HTMLAnchorElement.prototype.click] = [makeAddress, click];
    return all;
  })()`);
  for (const one of seen)
    expect(one.button === `Save as ${one.name}` && one.rows >= 2 && one.even, `a button saves ${JSON.stringify(one)}`);
}

// A printer gets all parameters, and the page is then as before.
export async function checkPrint(browser, expect) {
  const seen = await browser.evaluate(`(() => {
    const parameters = document.getElementById("parameters"), states = [parameters.open];
    for (const event of ["beforeprint", "afterprint"]) {
      dispatchEvent(new Event(event));
      states.push(parameters.open);
    }
    return states.join();
  })()`);
  expect(seen === "false,true,false", `before, while and after printing, the parameters are open: ${seen}`);
}

// The first sentence is the insight, and the others follow. The critical path of each fabric is drawn, described and
// listed with the numbers of the data.
export async function checkInsight(browser, expect) {
  const seen = await browser.evaluate(`(async () => {
    const {runs, insight} = JSON.parse(document.getElementById("results").textContent);
    const drawn = [];
    const buttons = [...document.querySelectorAll("#critical-path input[name=path-fabric]")];
    const bounds = JSON.parse(document.getElementById("meanings").textContent).fabrics.filter((s) => s.is_bound).map((s) => s.fabric);
    const networks = runs.every((run) => bounds.includes(run.fabric)) ? runs : runs.filter((run) => !bounds.includes(run.fabric));
    const due = networks.filter((run) => run.critical_path?.parts.length);
    for (const [i, run] of due.entries()) {
      buttons[i]?.click();
      await ${wait};
      const {messages, parts, messages_share: share} = run.critical_path;
      const kinds = Object.entries(parts[0]).filter(([key]) => key.endsWith("_s") && !["from_s", "sent_s", "to_s"].includes(key));
      drawn.push({
        fabric: run.fabric, share, messages: messages.length,
        words: document.querySelector("#critical-path .says").textContent,
        labels: [...document.querySelectorAll("#critical-path figure")].map((f) => f.getAttribute("aria-label")),
        rows: document.querySelectorAll("#path-messages tbody tr").length,
        boxes: document.querySelectorAll("#critical-path figure g[aria-label=rect] rect").length,
        parts: parts.length, kinds: kinds.length,
      });
    }
    return {
      drawn, buttons: buttons.length,
      answer: document.getElementById("answer").textContent,
      more: [...document.querySelectorAll("#insights li")].map((li) => li.textContent),
      sentences: (insight?.sentences ?? []).map(({text}) => text),
    };
  })()`);
  if (seen.sentences.length) {
    expect(seen.answer === seen.sentences[0], `the first sentence is ${seen.answer}`);
    expect(seen.more.join() === seen.sentences.slice(1).join(), `the other sentences are ${seen.more.join(" ")}`);
  }
  expect(seen.drawn.length < 2 || seen.buttons === seen.drawn.length, `${seen.buttons} buttons of ${seen.drawn.length} paths`);
  for (const one of seen.drawn) {
    const name = `critical path of ${one.fabric}`;
    expect(one.words.includes(`on ${one.fabric}.`) || one.words.includes(`of ${one.fabric}.`), `${name}: it says ${one.words}`);
    expect(one.labels.every((label) => label.includes(` ${one.fabric}`)), `${name}: its charts are ${one.labels}`);
    expect(one.rows === one.messages, `${name}: ${one.rows} rows of ${one.messages} messages`);
    expect(one.boxes >= one.parts, `${name}: ${one.boxes} boxes of ${one.parts} parts`);
    const said = Number(/costs? <?\s*([0-9.]+)/.exec(one.words)?.[1] ?? 0) / 100;
    expect(Math.abs(said - one.share) < 6e-4, `${name}: ${one.words}, of a share of ${one.share}`);
  }
}

// The film of circuits: at each time the frames are the circuits that are up, the picture shows their links and those that
// are being set up, and the words count them; the buttons lead from configuration to configuration. With two hops the ways
// name the port in between of each pair.
export async function checkCircuits(browser, expect) {
  const seen = await browser.evaluate(`(async () => {
    const data = JSON.parse(document.getElementById("results").textContent);
    const complaints = [];
    const pieces = data.pieces.map(([place, entry, start, end, via, second]) => {
      const [source, destination] = data.entries[entry];
      return {place, entry, start, end, via, pair: [second ? via : source, via === undefined || second ? destination : via].join(" → ")};
    });
    const input = document.getElementById("time");
    const words = () => document.getElementById("time-says").textContent;
    const film = document.getElementById("film");
    const lineOf = new Map((data.picture?.lines ?? []).flatMap((line, i) => line.links.map((link) => [link + 2 * data.nodes, i])));
    const times = [0.1, 0.45, 0.8].map((share) => share * data.makespan_s);
    for (const at of times) {
      input.value = (Number(input.max) * at) / data.makespan_s;
      input.dispatchEvent(new Event("input"));
      await ${wait};
      const now = (Number(input.value) * data.makespan_s) / Number(input.max);
      const up = pieces.filter((p) => p.start <= now && now < p.end);
      const frames = [...film.querySelectorAll(".pair figure")].at(-1).querySelectorAll("g[stroke-width='2'] rect").length;
      if (frames !== new Set(up.map((p) => p.pair)).size && !film.textContent.includes("Cells are of several")) complaints.push(frames + " frames of " + up.length + " circuits at " + now);
      if (!words().includes(": " + up.length + " circuit")) complaints.push(up.length + " circuits are up, the page says " + words());
      const changing = Number(/([0-9]+) being set up/.exec(words())[1]);
      if (changing > pieces.filter((p) => p.start - data.switching_s <= now && now < p.start).length)
        complaints.push("too many circuits are being set up: " + words());
      if (data.picture) {
        const lines = new Set(up.flatMap((p) => data.paths[p.place]).filter((link) => lineOf.has(link)).map((link) => lineOf.get(link)));
        const drawn = film.querySelectorAll("path.up").length;
        if (drawn !== lines.size) complaints.push(drawn + " lines are in use of " + lines.size + " at " + now);
        if (film.querySelectorAll("path.changing").length > 0 && !changing) complaints.push("a line is being set up without a circuit");
      }
    }
    const said = () => words().split(":")[0];
    const [before, next, play] = [...film.querySelectorAll("button")];
    const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    input.value = 0;
    input.dispatchEvent(new Event("input"));
    play.click();
    for (let tries = 0; tries < 100 && !(Number(input.value) > 0); tries++) await pause(50);
    const played = Number(input.value);
    if (!(played > 0)) complaints.push("the film does not play");
    play.click();
    const stopped = Number(input.value);
    await pause(200);
    if (Number(input.value) !== stopped) complaints.push("the film does not stop");
    input.value = 0.995 * Number(input.max);
    input.dispatchEvent(new Event("input"));
    play.click();
    for (let tries = 0; tries < 200 && play.textContent.includes("stop"); tries++) await pause(50);
    if (Number(input.value) !== Number(input.max)) complaints.push("the film ends at " + input.value);
    play.click();
    await pause(150);
    next.click();
    if (play.textContent.includes("stop")) complaints.push("the film plays on behind a jump");
    input.value = 0;
    input.dispatchEvent(new Event("input"));
    next.click();
    if (!(Number(input.value) > 0)) complaints.push("the next configuration is not later");
    const first = said();
    next.click();
    const second = said();
    next.click();
    const third = said();
    before.click();
    if (pieces.some((p) => p.start > pieces[0].start) && second === first) complaints.push("there is no second configuration");
    if (said() !== (third === second ? first : second)) complaints.push("the configuration before " + third + " is " + said() + ", not " + second);
    const carrying = document.querySelectorAll("#duty figure svg g[aria-label='rect']").length;
    if (!carrying) complaints.push("the duty cycle has no columns");
    const relayed = new Set(pieces.filter((p) => p.via !== undefined).map((p) => p.entry));
    const ways = document.getElementById("ways")?.textContent ?? "";
    if (relayed.size && !ways.includes(relayed.size + " over ")) complaints.push(relayed.size + " pairs take two hops: " + ways.slice(0, 120));
    return complaints;
  })()`);
  expect(seen.length === 0, seen.slice(0, 5).join("; "));
}

// The slack of each network: a dot for each bound, a row for each near message, and what it says of the first network.
export async function checkSlack(browser, expect) {
  const seen = await browser.evaluate(`(() => {
    const {runs} = JSON.parse(document.getElementById("results").textContent);
    const drawn = runs.filter((run) => run.slack?.messages && !run.network?.is_bound && run.fabric !== "ideal");
    const sum = (of) => drawn.reduce((before, run) => before + of(run.slack), 0);
    return {
      bounds: sum((slack) => slack.messages_below.length), near: sum((slack) => slack.near.length),
      dots: document.querySelectorAll("#slack figure g[aria-label=dot] circle").length,
      rows: document.querySelector("#slack .scroll table tbody")?.rows.length ?? 0,
      share: drawn[0].slack.messages_without / drawn[0].slack.messages, fabric: drawn[0].fabric,
      says: document.querySelector("#slack .says").textContent,
    };
  })()`);
  expect(seen.dots === seen.bounds, `${seen.dots} dots of ${seen.bounds} bounds of slack`);
  expect(seen.rows === seen.near, `${seen.rows} rows of ${seen.near} near messages`);
  expect(seen.says.includes(`On ${seen.fabric}, ${(100 * seen.share).toFixed(1)}`), `of a share of ${seen.share} it says ${seen.says}`);
}

// What was recorded of the computation: a column for each rank and a bar for each place, of two parts each.
export async function checkBursts(browser, expect) {
  const seen = await browser.evaluate(`(() => {
    const {bursts} = JSON.parse(document.getElementById("results").textContent);
    const parts = (id, mark) => document.querySelectorAll("#" + id + " figure g[aria-label=" + mark + "] rect").length;
    return {
      ranks: bursts.ranks.length, places: bursts.between?.length ?? 0,
      columns: parts("bursts", "rect"), bars: parts("bursts-between", "bar"),
      share: bursts.processor_s / bursts.lasted_s, says: document.querySelector("#bursts .says")?.textContent ?? "",
    };
  })()`);
  expect(seen.columns === 2 * seen.ranks, `${seen.columns} parts of ${seen.ranks} ranks`);
  expect(seen.bars === 2 * Math.min(12, seen.places), `${seen.bars} parts of ${seen.places} places`);
  expect(seen.says.includes(` for ${(100 * seen.share).toFixed(1)}`), `of a share of ${seen.share} it says ${seen.says}`);
}

// The messages of the longest path are drawn for each exact parameter: a bar for each part of the slope, and the parts
// of each chart are the slope, unless some have no bar.
export async function checkSlope(browser, expect) {
  const seen = await browser.evaluate(`(async () => {
    const {parameters} = JSON.parse(document.getElementById("results").textContent);
    const known = (parameters ?? []).filter((p) => p.longest_path?.messages);
    const exact = known.length ? known : parameters.filter((p) => p.critical_path).slice(0, 1);
    const buttons = [...document.querySelectorAll("#path input[name=path-parameter]")];
    const drawn = [];
    for (const [i, p] of exact.entries()) {
      buttons[i]?.click();
      await ${wait};
      const path = p.longest_path ?? p.critical_path;
      const lists = ["by_site", "by_rank", "by_call", "by_size"].map((name) => path[name]).filter((list) => list);
      drawn.push({
        of: p.of, said: document.querySelector("#path .says").textContent,
        bars: [...document.querySelectorAll("#path figure")].map((f) => f.querySelectorAll("g[aria-label=bar] rect").length),
        due: lists.map((list) => Math.min(12, list.length)),
        sums: lists.map((list) => list.reduce((sum, row) => sum + (row.slope ?? row.messages), 0)),
        slope: p.longest_path ? p.slope : path.messages,
      });
    }
    return {drawn, buttons: buttons.length};
  })()`);
  expect(seen.drawn.length < 2 || seen.buttons === seen.drawn.length, `${seen.buttons} buttons of ${seen.drawn.length} parameters`);
  for (const one of seen.drawn) {
    expect(one.said.includes(one.of), `the path of ${one.of} says ${one.said}`);
    expect(one.bars.join() === one.due.join(), `the path of ${one.of} has ${one.bars} bars, not ${one.due}`);
    expect(one.sums.every((sum) => sum === one.slope), `the parts of ${one.of} are ${one.sums}, the slope is ${one.slope}`);
  }
}

// A comparison says for each fabric that both results have how much faster B is, and which parameters differ; its ranks
// can be seen for each fabric.
export async function checkComparison(browser, expect) {
  const seen = await browser.evaluate(`(async () => {
    const {a, b} = JSON.parse(document.getElementById("results").textContent);
    const [first, second] = [a.result, b.result];
    const shared = first.runs.filter((run) => second.runs.some((other) => other.fabric === run.fabric)).map((run) => run.fabric);
    const names = [...new Set([...Object.keys(first.manifest.parameters), ...Object.keys(second.manifest.parameters)])];
    const labels = [];
    for (const button of document.querySelectorAll("#per-rank input[name=rank-pair]")) {
      button.click();
      await ${wait};
      labels.push([button.value, document.querySelector("#per-rank figure").getAttribute("aria-label")]);
    }
    return {
      shared, labels,
      bars: document.querySelectorAll("#time figure g[aria-label=bar] rect").length,
      said: [document.getElementById("answer"), ...document.querySelectorAll("#insights li")].map((e) => e.textContent),
      due: names.filter((name) => name !== "fabric" && (first.manifest.parameters[name] ?? "") !== (second.manifest.parameters[name] ?? "")),
      rows: [...document.querySelectorAll("#differs tbody tr th")].map((cell) => cell.textContent),
    };
  })()`);
  expect(seen.bars === 2 * Math.max(1, seen.shared.length), `${seen.bars} bars of ${seen.shared.length} fabrics`);
  expect(seen.said.length === Math.max(1, seen.shared.length), `${seen.said.length} sentences of ${seen.shared.length} fabrics`);
  for (const fabric of seen.shared) expect(seen.said.some((text) => text.startsWith(`${fabric} `)), `no sentence is about ${fabric}`);
  for (const name of seen.due) expect(seen.rows.includes(name), `the differences do not name ${name}`);
  for (const [fabric, label] of seen.labels) expect(label.includes(fabric), `the ranks of ${fabric} are ${label}`);
}

// The wall of a paper has a cell for each published number, marked with its verdict. A cell opens to what the data say of
// its number, and another configuration shows its own verdicts.
export async function checkWalls(browser, expect) {
  const seen = await browser.evaluate(`(async () => {
    const data = JSON.parse(document.getElementById("results").textContent);
    const papers = data.papers ?? [data];
    const walls = () => [...document.querySelectorAll(".wall")];
    const complaints = [];
    const check = (paper, wall, configuration) => {
      const rows = paper.rows.filter((row) => row.variant === null && [null, configuration].includes(row.configuration));
      const cells = [...wall.querySelectorAll("button.cell")];
      const verdicts = new Map(rows.map((row) => [row.of, row.verdict]));
      const counts = paper.configurations.find((c) => c.name === configuration).numbers;
      if (cells.length !== Object.values(counts).reduce((a, b) => a + b))
        complaints.push(paper.paper + " has " + cells.length + " cells in " + configuration);
      for (const cell of cells) {
        const [of, verdict] = cell.getAttribute("aria-label").split(": ");
        if (verdicts.get(of) !== verdict) complaints.push(of + " is shown as " + verdict);
      }
      for (const verdict of ["deviates", "reproduced", "not run"]) {
        const cell = cells.find((c) => c.getAttribute("aria-label").endsWith(": " + verdict));
        if (!cell) continue;
        cell.click();
        const row = rows.find((r) => r.of === cell.getAttribute("aria-label").split(": ")[0]);
        const opened = wall.querySelector("dl")?.textContent ?? "";
        for (const part of [row.of, row.source, row.note, "helio reproduce " + paper.paper + " --item "])
          if (!opened.includes(part)) complaints.push("the cell of " + row.of + " does not say " + part);
        if (wall.querySelectorAll("[aria-pressed]").length !== 1) complaints.push("more than one cell is pressed");
      }
    };
    if (walls().length !== papers.length) complaints.push(walls().length + " walls of " + papers.length + " papers");
    papers.forEach((paper, i) => check(paper, walls()[i], paper.configuration));
    const [first, second] = walls()[0].querySelectorAll("button.cell");
    first.focus();
    first.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
    if (document.activeElement !== second || walls()[0].querySelectorAll("button[tabindex='0']").length !== 1)
      complaints.push("the arrow keys do not move through the cells");
    const select = document.querySelector("#wall select");
    for (const {name} of select ? data.configurations : []) {
      select.value = name;
      select.dispatchEvent(new Event("change"));
      check(data, walls()[0], name);
    }
    return complaints;
  })()`);
  expect(seen.length === 0, seen.slice(0, 5).join("; "));
}

// Against each measure all networks of which it is known are drawn, and those are on the front that no other one beats.
// Numbers do not hide each other. Each choice of the parts draws bars that are as long as their networks' sums.
export async function checkCosts(browser, expect) {
  const seen = await browser.evaluate(`(async () => {
    const {networks} = JSON.parse(document.getElementById("results").textContent);
    const counted = networks.filter((n) => n.parts);
    const amount = {cost: (n) => n.cost_usd, power: (n) => n.power_w, energy: (n) => n.energy_j};
    const all = [];
    for (const choice of document.querySelectorAll("#front input[name=cost-measure]")) {
      choice.click();
      await ${wait};
      const of = amount[choice.value], known = counted.filter((n) => of(n) !== null);
      const beats = (a, b) => of(a) <= of(b) && a.makespan_s <= b.makespan_s && (of(a) < of(b) || a.makespan_s < b.makespan_s);
      const due = known.filter((n) => !known.some((other) => beats(other, n)));
      const texts = [...document.querySelectorAll("#front svg g[aria-label='text'] text")];
      const boxes = texts.map((text) => text.getBoundingClientRect());
      const hides = (a, b) => a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
      all.push({
        measure: choice.value,
        known: known.length,
        due: due.length,
        marked: choice.value !== "cost" || due.every((n) => n.on_front),
        dots: document.querySelectorAll("#front svg g[aria-label='dot'] path").length,
        keys: document.querySelectorAll("#front .legend li").length,
        bold: texts.filter((text) => getComputedStyle(text.parentElement).fontWeight === "700" || getComputedStyle(text).fontWeight === "700").length,
        said: (document.querySelector("#front figure").getAttribute("aria-label").match(/on the front/g) ?? []).length,
        hidden: boxes.filter((a, i) => boxes.some((b, k) => k < i && hides(a, b))).length,
      });
    }
    const bars = [];
    for (const choice of document.querySelectorAll("#parts input[name=parts-measure]")) {
      choice.click();
      await ${wait};
      const field = choice.value === "money" ? "cost_usd" : "power_w";
      bars.push({
        what: choice.value,
        due: counted.flatMap((n) => n.parts.filter((part) => part[field] > 0)).length,
        drawn: document.querySelectorAll("#parts svg g[aria-label='bar'] rect").length,
      });
    }
    return {all, bars};
  })()`);
  expect(seen.all.length === 3, `${seen.all.length} measures`);
  for (const one of seen.all) {
    const what = JSON.stringify(one);
    expect(one.dots === one.known && one.keys === one.known, `not every network is drawn: ${what}`);
    expect(one.bold === one.due && one.said === one.due && one.marked, `another front: ${what}`);
    expect(one.hidden === 0, `numbers hide each other: ${what}`);
  }
  for (const one of seen.bars) expect(one.due === one.drawn, `pieces of bars: ${JSON.stringify(one)}`);
}

// Each share is of the rate of the same size alone, each bar has a row of its own and ends before the words beside it, and
// lines go from left to right.
export async function checkCalibration(browser, expect) {
  const seen = await browser.evaluate(`(() => {
    const {series} = JSON.parse(document.getElementById("results").textContent);
    const shared = series.filter((s) => ["stream", "copy", "compute"].includes(s.kind));
    const alone = (s) => shared.find((one) => one.at_once === 1 && ["kind", "place", "bytes"].every((key) => one[key] === s[key]));
    const figure = document.querySelector("#at-once figure");
    const bars = [...figure.querySelectorAll("g[aria-label=bar] rect")].map((bar) => bar.getBoundingClientRect());
    const steps = [...document.querySelectorAll("section[id^=ends-] g[aria-label=line] path")].map((line) =>
      line.getAttribute("d").split(/[ML]/).filter(Boolean).map((point) => Number(point.split(",")[0])));
    return {
      due: shared.filter((s) => s.at_once > 1).map((s) => 100 * alone(s).ns.value / s.ns.value).sort((a, b) => a - b),
      said: (figure.getAttribute("aria-label").match(/: [\\d.,]+ %/g) ?? [])
        .map((share) => Number(share.replace(/[^\\d.]/g, ""))).sort((a, b) => a - b),
      rows: new Set(bars.map((bar) => Math.round(bar.top))).size,
      beyond: bars.filter((bar) => bar.right > figure.getBoundingClientRect().right).length,
      back: steps.filter((at) => at.some((x, i) => i && x < at[i - 1])).length,
      lines: steps.length,
    };
  })()`);
  const near = seen.said.length === seen.due.length && seen.said.every((share, i) => Math.abs(share / seen.due[i] - 1) < 0.01);
  expect(near, `the shares of several at once are ${seen.said}, not ${seen.due}`);
  expect(seen.rows === seen.due.length, `${seen.due.length} quantities have ${seen.rows} rows`);
  expect(seen.beyond === 0, `${seen.beyond} bars stand out of their chart`);
  expect(seen.lines > 0 && seen.back === 0, `${seen.back} of ${seen.lines} lines go back to smaller sizes`);
}

// On a phone a table that goes on beyond the edge says so, and no other does.
export async function checkWide(browser, expect) {
  const seen = await browser.evaluate(`(async () => {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
    return [...document.querySelectorAll(".scroll")].filter((region) => !region.closest("details:not([open])")).map((region) => ({
      name: region.getAttribute("aria-label"),
      isWide: region.scrollWidth > region.clientWidth + 1,
      isSaid: !(region.previousSibling?.hidden ?? true),
    }));
  })()`);
  for (const {name, isWide, isSaid} of seen)
    expect(isWide === isSaid, `the table ${name} ${isWide ? "is cut and does not say so" : "is whole and says it is cut"}`);
}
