// node check.mjs CHROMIUM FOLDER REPORT.html...: each report, with the width of a phone and of a desktop, light and dark,
// draws everything without errors. Pictures go to FOLDER, unless it is empty.
import {writeFileSync} from "node:fs";
import {basename, join, resolve} from "node:path";
import {pathToFileURL} from "node:url";
import {Browser} from "./browser.mjs";
import {
  checkBars,
  checkBursts,
  checkCalibration,
  checkSlack,
  checkCircuits,
  checkComparison,
  checkCosts,
  checkDownloads,
  checkFilters,
  checkInsight,
  checkPrint,
  checkRanks,
  checkSearch,
  checkSlope,
  checkSlots,
  checkStyles,
  checkTables,
  checkSizes,
  checkRivals,
  checkUnequal,
  checkWide,
  checkWalls,
} from "./controls.mjs";

const [chromium, folder, ...reports] = process.argv.slice(2);
// The first report is checked with all widths and colours; for the others two combinations are enough.
const looks = [
  {width: 360, dark: true},
  {width: 1280, dark: false},
  {width: 360, dark: false},
  {width: 1280, dark: true},
];
let failures = 0;
const styles = new Map(); // of the fabrics, as on the pages before

function expect(holds, what) {
  if (holds) return;
  failures++;
  console.error(`page: ${what}`);
}

// Collects from the page what a reader could notice. The width of the window cannot be used: on a phone it grows with
// content that is too wide.
const facts = (width) => `(() => {
  const figures = [...document.querySelectorAll("figure.chart")];
  const wider = [...document.querySelectorAll("main *, header *")].filter((e) =>
    !e.closest(".scroll") && e.getBoundingClientRect().right > ${width} + 1);
  const drawn = (f) => f.querySelectorAll("svg rect, svg path[d]").length > 0 && f.getBoundingClientRect().height > 40;
  const data = JSON.parse(document.getElementById("results").textContent);
  const {topology, fabrics} = JSON.parse(document.getElementById("meanings").textContent || "{}");
  // The fastest of the networks, which bounds are not.
  const bounds = (data.fabrics ?? fabrics ?? []).filter((style) => style.is_bound).map((style) => style.fabric);
  const fastest = (all, of) => {
    const networks = all.every((one) => bounds.includes(one.fabric)) ? all : all.filter((one) => !bounds.includes(one.fabric));
    return [networks.reduce((a, b) => (of(b) < of(a) ? b : a)).fabric];
  };
  return {
    figures: figures.length,
    empty: figures.filter((f) => !drawn(f)).length,
    flat: [...document.querySelectorAll("#links figure svg, #configuration figure svg, #film figure svg")].filter((svg) =>
      svg.querySelector("circle") && new Set([...svg.querySelectorAll("circle")].map((c) => c.getAttribute("cy"))).size > 1 &&
      svg.getBoundingClientRect().height < 0.3 * svg.getBoundingClientRect().width).length,
    silent: figures.filter((f) => (f.getAttribute("aria-label") || "").length < 20).length,
    broken: figures.filter((f) => /NaN|undefined|null/.test(f.outerHTML)).map((f) => f.getAttribute("aria-label")),
    overflow: document.documentElement.scrollWidth - ${width},
    wider: wider.slice(0, 3).map((e) => e.tagName + "." + e.className.baseVal + " " + e.textContent.slice(0, 40)),
    sections: [...document.querySelectorAll("main section")].map((s) => s.id),
    answer: document.getElementById("answer").textContent,
    text: document.body.innerText,
    searches: document.querySelector("main input[type=search]") !== null,
    heading: document.querySelector("h1").textContent,
    ...(data.manifest
      ? {
          fabrics: data.insight?.sentences.length ? [] : fastest(data.runs, (r) => r.makespan_s),
          due: ["time", "ranks-time", "per-rank", "manifest"].concat(
            data.runs.some((r) => !bounds.includes(r.fabric) && r.critical_path?.parts.length) ? ["critical-path"] : [],
            data.runs.some((r) => r.fabric_stats.busy_s && r.fabric_stats.busy_s.length) ? ["fmus"] : [],
            data.runs[0].message_sizes.length ? ["sizes"] : [],
            data.runs.some((r) => !bounds.includes(r.fabric) && r.slack?.messages) ? ["slack"] : [],
            data.bursts?.ranks ? ["bursts"] : [],
            data.bursts?.between ? ["bursts-between"] : [],
            topology && data.runs.some((r) => r.fabric_stats.link_bytes?.length || r.fabric_stats.link_data_s?.length) ? ["links"] : [],
            data.runs.some((r) => r.fabric_stats.buffer_reserved_s?.length) ? ["buffers"] : [],
          ),
          isRun: true,
          program: data.manifest.program,
          saved: "fabric,makespan_s,speedup,idle_fraction",
        }
      : data.a
      ? {
          fabrics: [],
          due: ["time", "differs"].concat(
            data.a.result.runs.some((r) => Array.isArray(r.ranks)) ? ["per-rank"] : [],
            data.a.result.runs.some((r) => r.critical_path) ? ["paths"] : [],
          ),
          program: "A and B compared",
          saved: "fabric,",
          isComparison: true,
        }
      : data.networks
      ? {
          fabrics: [],
          due: ["prices"].concat(data.networks.some((n) => n.parts) ? ["front", "parts", "energy"] : []),
          program: data.program,
          saved: data.networks.some((n) => n.parts) ? "number,network,nodes,cost_usd," : "price,value,meaning",
          has_no_charts: !data.networks.some((n) => n.parts),
        }
      : data.connections
      ? {
          fabrics: [],
          due: ["slots", "configuration", "filling"],
          program: data.pattern,
          saved: "source,destination,slot,links",
        }
      : data.guards && "program" in data
      ? {
          fabrics: [],
          due: (data.measured_s ? ["runs", "kinds"].concat(data.phases.length ? ["phases"] : []) : []).concat(["machine", "guards"]),
          program: "A forecast and the times",
          saved: data.measured_s ? "run,measured_s,forecast_s,captured_s" : "what,value",
          has_no_charts: !data.measured_s,
        }
      : data.guards
      ? {
          fabrics: [],
          due: ["between", "within"]
            .filter((place) => data[place])
            .flatMap((place) => ["times-" + place, "ends-" + place])
            .concat(["at-once", "parameters", "guards"], data.choices?.length ? ["choices"] : []),
          program: "Calibration",
          saved: "bytes,median_ns,low_ns,high_ns,fitted_ns,machine_ns",
        }
      : data.parameters
      ? {
          fabrics: [],
          due: data.parameters.map((_, i) => "curve-" + i).concat(
            data.parameters.length > 1 ? ["tornado"] : [],
            data.parameters.some((p) => p.longest_path?.messages || p.critical_path) ? ["path"] : [],
          ),
          program: data.program,
          saved: data.parameters.length > 1 ? "parameter,better_s,makespan_s,worse_s" : data.parameters[0].exact ? "from,exactly," : "value_s,makespan_s",
        }
      : data.entries || data.curve
      ? {
          fabrics: [],
          due: data.curve ? ["curve"] : ["timeline", "duty", "film", ...(data.pieces.some((p) => p.length > 4) ? ["ways"] : [])],
          program: data.demand,
          saved: data.curve ? "switching_s,lower_bound_s," : data.topology ? (data.planes ? "plane," : "") + "start_s,end_s,src,dst," + (data.hops ? "from,to," : "") + "links" : "switch,start_s,end_s,src,dst",
        }
      : data.points && data.collective
      ? {
          fabrics: [],
          due: data.points.length > 1 ? ["winners", "gains", "plan"] : ["plan"],
          program: data.title,
          saved: data.points.length > 1 ? "bytes,switching_s,algorithm" : "algorithm,steps,no_change_s",
        }
      : data.components
      ? {
          fabrics: [],
          due: ["whatif", "ranking", "breakdowns", "manifest"],
          program: document.querySelector("h1").textContent,
          saved: "time,component,time_ns",
          sliders: data.times.length,
        }
      : data.papers
      ? {
          fabrics: [],
          due: ["overview", ...data.papers.map((p) => "paper-" + p.paper)],
          program: "The papers, recomputed",
          saved: "paper,configuration,published numbers,",
          isOfPapers: true,
        }
      : data.paper
      ? {
          fabrics: [],
          due: ["wall", "numbers", ...data.figures.filter((f) => f.points.length).map((f) => f.id)],
          program: data.title,
          saved: data.configurations.length > 1 ? "configuration,reproduced," : "panel,series,",
          isOfPapers: true,
        }
      : {
          fabrics: new Set(data.groups.map((g) => g.program)).size > 1 ? [] : fastest(data.groups, (g) => g.makespan_s.mean),
          due: ["numbers", "manifest"].concat(data.axes.length ? ["curves"] : ["time-by-fabric"], data.axes.length > 1 ? ["map"] : []),
          filters: data.axes.length > 0,
          isSweep: true,
          program: new Set(data.groups.map((g) => g.program)).size > 1 ? document.querySelector("h1").textContent : data.groups[0].program,
          saved: "fabric,",
        }),
    ground: getComputedStyle(document.body).backgroundColor,
  };
})()`;

async function checkKeyboard(browser, name, columns) {
  const reached = new Set(), due = ["A", "SUMMARY"];
  for (let i = 0; i < 60 && !due.every((tag) => reached.has(tag)); i++) {
    await browser.press("Tab");
    reached.add(await browser.evaluate("document.activeElement.tagName"));
  }
  for (const tag of due) expect(reached.has(tag), `${name}: the keyboard does not reach any ${tag}`);
  await browser.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
  await browser.evaluate("document.querySelector('main button').focus()");
  const saved = await browser.evaluate(`new Promise((done) => {
    URL.createObjectURL = (blob) => { blob.text().then(done); return "#"; };
    [...document.querySelectorAll("main section button")].find((b) => b.textContent.startsWith("Save as")).click();
  })`);
  expect(saved.startsWith(columns), `${name}: the saved file is ${saved}`);
  expect(saved.split("\n").length >= 2, `${name}: the saved file has no rows`);
}

// In the picture of the topology a switch has a circle. That of the busiest buffer is the largest.
async function checkBuffers(browser, name) {
  const seen = await browser.evaluate(`(() => {
    const {runs} = JSON.parse(document.getElementById("results").textContent);
    const {topology, fabrics} = JSON.parse(document.getElementById("meanings").textContent);
    const {buffer_reserved_s: reserved, buffer_switch: places} =
      runs.find((r) => r.fabric_stats.buffer_reserved_s?.length).fabric_stats;
    if (!topology?.picture || !reserved.some((s) => s)) return null;
    const circles = [...document.querySelectorAll("#buffers circle")];
    const largest = circles.reduce((a, b) => (b.getAttribute("r") > Number(a.getAttribute("r")) ? b : a));
    return {
      circles: circles.length,
      switches: topology.picture.switches.length,
      largest: largest.textContent.slice(0, largest.textContent.lastIndexOf(": ")),
      busiest: topology.picture.switches[places[reserved.indexOf(Math.max(...reserved))]].name,
    };
  })()`);
  if (!seen) return;
  expect(seen.circles % seen.switches === 0 && seen.circles, `${name}: ${seen.circles} circles of ${seen.switches} switches`);
  expect(seen.largest === seen.busiest, `${name}: the largest circle is at ${seen.largest}, the busiest buffer at ${seen.busiest}`);
}

// A slider at zero removes its time from the sums, every button moves a slider, and one button resets all. The wire counts
// once in the latency. So does the LLP's progress, which systems without a network have too.
async function checkSliders(browser, name) {
  const latency = () => browser.evaluate(`Number(document.querySelector("#totals .value").textContent.replace(/[^0-9.]/g, ""))`);
  const measured = await latency();
  const idle = await browser.evaluate(`(() => {
    const values = () => [...document.querySelectorAll("#whatif input")].map((input) => input.value).join();
    const [back, ...changes] = [...document.querySelectorAll(".presets button")].reverse();
    return changes.filter((button) => {
      back.click();
      const before = values();
      button.click();
      const moves = values() !== before;
      back.click();
      return !moves;
    }).map((button) => button.textContent);
  })()`);
  expect(idle.length === 0, `${name}: buttons that move nothing: ${idle.join("; ")}`);
  const wire = await browser.evaluate(`(() => {
    const data = JSON.parse(document.getElementById("results").textContent);
    const i = ["Wire", "LLP_prog"].map((name) => data.times.findIndex((time) => time.name === name))
      .find((i) => document.getElementById("time-" + i));
    const input = document.getElementById("time-" + i);
    input.value = 0;
    input.dispatchEvent(new Event("input"));
    return data.times[i].time_ns;
  })()`);
  const without = await latency();
  expect(Math.abs(measured - wire - without) < 0.02, `${name}: ${measured} less ${wire} is not ${without}`);
  const said = await browser.evaluate(`document.getElementById("whatif-sum").textContent`);
  expect(/ less, /.test(said), `${name}: the sum says ${said}`);
  const rows = await browser.evaluate(`document.querySelectorAll("#whatif svg g[aria-label='bar'] rect").length`);
  expect(rows > 10, `${name}: ${rows} parts of two bars`);
  await browser.evaluate(`[...document.querySelectorAll(".presets button")].at(-1).click()`);
  expect((await latency()) === measured, `${name}: the way back does not lead back`);
}

async function check(browser, report, look) {
  const name = `${basename(report, ".html")}, ${look.width} px, ${look.dark ? "dark" : "light"}`;
  await browser.open(pathToFileURL(resolve(report)).href, look);
  const seen = await browser.evaluate(facts(look.width));
  if (folder)
    writeFileSync(
      join(folder, `${name.replaceAll(" px", "").replaceAll(", ", "-")}.png`),
      Buffer.from(await browser.picture(), "base64"),
    );
  expect(browser.complaints.length === 0, `${name}: ${browser.complaints.join("; ")}`);
  expect(browser.requests.length === 1, `${name}: asks for ${browser.requests.slice(1).join(", ")}`);
  expect((seen.figures >= 1 || seen.has_no_charts) && seen.empty === 0, `${name}: ${seen.empty} of ${seen.figures} charts are empty`);
  expect(seen.flat === 0, `${name}: ${seen.flat} pictures of the topology are stripes`);
  expect(seen.silent === 0, `${name}: ${seen.silent} charts have no words`);
  expect(seen.broken.length === 0, `${name}: not a number in: ${seen.broken.join("; ")}`);
  expect(seen.overflow <= 0, `${name}: ${seen.overflow} px wider than the window`);
  if (look.width < 600) await checkWide(browser, (holds, what) => expect(holds, `${name}: ${what}`));
  expect(seen.wider.length === 0, `${name}: stand out of the window: ${seen.wider.join("; ")}`);
  for (const id of seen.due) expect(seen.sections.includes(id), `${name}: no section ${id}`);
  for (const fabric of seen.fabrics)
    expect(seen.answer.includes(fabric), `${name}: the answer does not name ${fabric}`);
  expect(seen.heading === seen.program, `${name}: the heading is ${seen.heading}`);
  expect(!/undefined|NaN|\[object/.test(seen.text), `${name}: something undefined is shown`);
  const light = Number(seen.ground.match(/\d+/)[0]) > 128;
  expect(light !== look.dark, `${name}: the ground is ${seen.ground}`);
  if (report === reports[0] || look.width === 1280) await checkControls(browser, name, seen);
  if (look.width === 1280 && !look.dark) await checkKeyboard(browser, name, seen.saved);
}

// The controls do the same on a phone and on a desk, so most reports have them tried with one width.
async function checkControls(browser, name, seen) {
  const found = (holds, what) => expect(holds, `${name}: ${what}`);
  await checkStyles(browser, found, styles);
  if (seen.isComparison) await checkComparison(browser, found);
  if (seen.isRun) {
    await checkBars(browser, found);
    await checkInsight(browser, found);
    await checkRanks(browser, found);
    await checkPrint(browser, found);
  }
  if (seen.isSweep) await checkUnequal(browser, found);
  if (seen.isSweep) await checkRivals(browser, found);
  const hasSizes = seen.isSweep ? await checkSizes(browser, found) : false;
  expect(hasSizes === /^sweep-(sizes|unequal|curves|topologies),/.test(name), `${name}: the answer ${hasSizes ? "is" : "is not"} about sizes`);
  if (seen.filters) await checkFilters(browser, found);
  if (seen.due.includes("front")) await checkCosts(browser, found);
  if (seen.due.includes("slack")) await checkSlack(browser, found);
  if (seen.due.includes("bursts")) await checkBursts(browser, found);
  if (seen.due.includes("at-once")) await checkCalibration(browser, found);
  if (seen.due.includes("path")) await checkSlope(browser, found);
  if (seen.due.includes("filling")) await checkSlots(browser, found);
  if (seen.due.includes("film")) await checkCircuits(browser, found);
  if (seen.isOfPapers) await checkWalls(browser, found);
  if (seen.searches) await checkSearch(browser, found);
  if (seen.sliders) await checkSliders(browser, name);
  if (seen.due.includes("buffers")) await checkBuffers(browser, name);
  await checkTables(browser, found);
  await checkDownloads(browser, found);
}

const browser = new Browser(chromium);
const watch = () =>
  setTimeout(() => {
    console.error("page: the browser does not answer");
    browser.close().then(() => process.exit(1));
  }, 400000); // a busy machine may need this long for one page
let tooLong = watch();
try {
  for (const report of reports)
    for (const look of report === reports[0] ? looks : looks.slice(0, 2)) {
      await check(browser, report, look);
      clearTimeout(tooLong);
      tooLong = watch();
    }
} catch (error) {
  failures++;
  console.error(`page: ${error.message}`);
}
clearTimeout(tooLong);
await browser.close();
console.log(`page: ${reports.length} reports, each on a phone and on a desk, ${failures} complaints`);
process.exit(failures ? 1 : 0);
