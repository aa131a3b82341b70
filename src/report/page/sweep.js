// The program of the page of a sweep: the fastest runs, curves and maps over the parameters that were varied, with
// filters, and all numbers. A point is one setting; nothing mixes settings.
"use strict";
(() => {
  const sweep = JSON.parse(document.getElementById("results").textContent);
  const {digits, time, size, count, percent, plural, element, table, legend, chart, section, common, labelWidth} = kit;
  const unique = (values) => [...new Set(values)];
  const {groups} = sweep;
  const fabrics = unique(groups.map((g) => g.fabric));
  const styles = kit.fabricStyles(sweep.fabrics);
  const isBound = (fabric) => styles.get(fabric).is_bound && fabrics.some((name) => !styles.get(name).is_bound);
  const compared = groups.some((g) => g.speedup);
  const repeated = groups.some((g) => g.runs > 1);
  // Why a point is not compared fairly with the baseline, or with the first network; "": it is.
  const reasonOf = (g) => sweep.reasons[g.reason ?? 0] ?? "";
  const marked = (some) => (some.some(reasonOf) ? " ⚠" : "");
  const CURVES_AT_FIRST = 12; // more of them are shown only on request
  const SHADES = 5; // of a fabric's colour, for its settings

  // --------------------------------------------------------------------- axes

  // An axis. Quantities are in ascending order, on a numeric scale; other values keep the order of the sweep.
  function axisOf(name, of) {
    const domain = unique(groups.map(of));
    const numbers = new Map(domain.map((value) => [value, kit.quantity(value)]));
    const kinds = unique([...numbers.values()].map((quantity) => quantity?.kind));
    const isNumeric = kinds.length === 1 && kinds[0] !== undefined && domain.length > 1;
    if (isNumeric) domain.sort((a, b) => numbers.get(a).value - numbers.get(b).value);
    const valueOf = (value) => numbers.get(value).value;
    // On a logarithmic axis 0 stands one step before the smallest other value.
    const [first, second, third] = isNumeric ? domain.map(valueOf) : [];
    const zeroAt = first === 0 && third && valueOf(domain.at(-1)) / second >= 8 ? (second * second) / third : null;
    const at = (value) => (!isNumeric ? value : valueOf(value) || (zeroAt ?? 0));
    return {name, of, domain, isNumeric, at, hasZeroAside: zeroAt !== null};
  }
  const programs = unique(groups.map((g) => g.program));
  const axes = sweep.axes
    .filter((name) => name !== "workload" && name !== "trace")
    .map((name) => axisOf(name, (g) => g.settings[name]))
    .filter((axis) => axis.domain.length > 1);
  // The program is an axis too, unless the other axes say which program runs.
  const programOf = new Map();
  const keyOf = (g) => JSON.stringify(axes.map((axis) => axis.of(g)));
  groups.forEach((g) => programOf.set(keyOf(g), programOf.get(keyOf(g)) ?? g.program));
  if (groups.some((g) => programOf.get(keyOf(g)) !== g.program)) axes.unshift(axisOf("program", (g) => g.program));

  const factor = (ratio) => (ratio < 0.1 || ratio >= 100 ? digits(ratio, 3) : ratio.toFixed(3));
  // What fabrics are compared with: the baseline, or the first network.
  const reference = sweep.baseline.fabric ?? fabrics.find((fabric) => !isBound(fabric)) ?? fabrics[0];
  const baselineName = Object.entries(sweep.baseline)
    .map(([name, value]) => (name === "fabric" ? value : `${name} ${value}`))
    .join(", ");
  const settings = (g, of = axes) => of.map((axis) => (axis.name === "program" ? axis.of(g) : `${axis.name} ${axis.of(g)}`)).join(", ");
  const label = (g) => [g.fabric, settings(g, axes.filter((axis) => axis.name !== "program"))].filter((part) => part).join(", ");

  // The value of a group: a mean, and half the width of its interval.
  const rate = (v, count = 5) => `${size(v, count)}/s`;
  const isMeasured = (measure) => groups.some((g) => g.measures[measure.csv]);
  const measured = (csv) => ({csv, of: (g) => g.measures[csv]});
  const rates = [
    {id: "bandwidth", title: "Bandwidth over", name: "bandwidth", ...measured("bandwidth_bytes_per_s"), show: rate, tick: (v) => rate(v, 3)},
    {id: "messages-per-second", title: "Messages per second over", name: "messages per second", ...measured("message_rate_per_s"), show: (v) => digits(v, 5), tick: (v) => digits(v, 3)},
  ];
  const latencies = [
    {id: "mean-latency", title: "Mean latency over", name: "mean latency", ...measured("mean_latency_s"), show: (v) => time(v, 5), tick: (v) => time(v, 3)},
    {id: "largest-latency", title: "Largest latency over", name: "largest latency", ...measured("largest_latency_s"), show: (v) => time(v, 5), tick: (v) => time(v, 3)},
  ];
  const measures = [
    ...rates.filter(isMeasured),
    ...(compared
      ? [{id: "speedup", title: `Speedup over ${baselineName} by`, name: `speedup over ${baselineName}`, csv: "speedup", of: (g) => g.speedup, show: (v) => `${factor(v)}×`, tick: (v) => `${digits(v, 3)}×`}]
      : []),
    {id: "time", title: "Time over", name: "time", csv: "makespan_s", of: (g) => g.makespan_s, show: (v) => time(v, 5), tick: (v) => time(v, 3)},
    ...latencies.filter(isMeasured),
  ];

  // --------------------------------------------------------- the answer first

  // How the fabric compares with the baseline over all settings, in words: "1.2 to 9.1 times slower".
  function comparison(some) {
    const ends = [d3.least(some, (g) => g.speedup.mean), d3.greatest(some, (g) => g.speedup.mean)].map((g) => g.compared);
    const [kinds, moods] = [ends.map((words) => words.replace(/^[0-9.e+]+/, "")), [...new Set(ends.map(kit.moodOf))].filter((mood) => mood)];
    const mood = moods.length === 1 ? moods[0] : "";
    if (mood === "bad") ends.reverse(); // the smaller number first
    const [from, to] = ends;
    const said = from === to ? to : kinds[0] === kinds[1] ? `${from.slice(0, -kinds[0].length)} to ${to}` : `between ${from} and ${to}`;
    return [`${said} ${kit.than(to)}`, mood];
  }

  // What is compared with the baseline: each fabric, with each value of the other parameters that the baseline names.
  // Many values are one: "the others".
  const RIVALS_NAMED = 4;
  function rivals() {
    const fixed = axes.filter((axis) => axis.name in sweep.baseline);
    const isBaseline = (g) => Object.entries(sweep.baseline).every(([name, value]) => (name === "fabric" ? g.fabric : g.settings[name] ?? value) === value);
    const nameOf = (g) => [...(fabrics.length > 1 || !fixed.length ? [g.fabric] : []), settings(g, fixed)].filter((part) => part).join(", ");
    const some = groups.filter((g) => g.speedup && !isBound(g.fabric) && !isBaseline(g));
    const found = d3.groups(some, nameOf).map(([name, points]) => ({name, some: points}));
    return found.length > RIVALS_NAMED && fixed.length ? [{name: "each of the others", some}] : found;
  }

  // Where only the size of messages varies of the program, the smallest size has the shortest time, which says nothing.
  // What has the shortest time at each size is an option: a fabric with its settings of all other parameters.
  const isOfProgram = (axis) => {
    const workload = axis.name.slice(0, axis.name.lastIndexOf("."));
    return axis.name === "program" || programs.some((program) => program === workload || program.startsWith(`${workload}:`));
  };
  const [sizes, ...more] = axes.filter(isOfProgram);
  const hasSizes = sizes?.isNumeric && sizes.name.endsWith(".bytes") && !more.length;
  const optionOf = (g) => [...(fabrics.length > 1 ? [g.fabric] : []), settings(g, axes.filter((axis) => axis !== sizes))].filter((part) => part).join(", ");
  const SAME = 1.0005; // times as those of a table, which are said to be the same
  const RANGES_SHOWN = 5;

  // The ranges of sizes in which one option is fastest. It keeps a size at which it is as fast as the fastest.
  function fastestRanges(some) {
    const ranges = [];
    for (const size of sizes.domain) {
      const here = some.filter((g) => sizes.of(g) === size);
      if (!here.length) continue;
      const [first, second] = d3.sort(here, (g) => g.makespan_s.mean);
      const last = ranges.at(-1);
      const kept = last && here.find((g) => optionOf(g) === last.option && g.makespan_s.mean <= first.makespan_s.mean * SAME);
      const peers = here.filter((g) => g.makespan_s.mean <= first.makespan_s.mean * SAME).map(optionOf);
      const lead = second && first.makespan_s.mean > 0 ? second.makespan_s.mean / first.makespan_s.mean : null;
      if (kept) Object.assign(last, {to: size, points: [...last.points, kept], peers: last.peers.filter((option) => peers.includes(option))});
      else ranges.push({option: optionOf(first), from: size, to: size, points: [first], peers, leads: []});
      if (lead) ranges.at(-1).leads.push(lead);
    }
    return ranges;
  }

  // "packet and hockney": those that are as fast as each other at all sizes of the range.
  const named = ({peers}) => (peers.length > 2 ? `${peers.slice(0, -1).join("; ")}; and ${peers.at(-1)}` : peers.join(" and "));
  const are = ({peers}) => (peers.length > 1 ? "are" : "is");
  const span = ({from, to}) => (from === to ? `at ${from}` : `from ${from} to ${to}`);
  const leadOf = ({leads}) => {
    const [low, high] = d3.extent(leads);
    if (!(high >= SAME)) return ", as fast as the next";
    return low.toFixed(2) === high.toFixed(2) ? `, ${factor(low)} times as fast as the next` : `, ${factor(low)} to ${factor(high)} times as fast as the next`;
  };

  // "packet is the fastest from 8 B to 4 KiB, fmu from 8 KiB to 1 MiB."
  function fastestBySize(some) {
    const ranges = fastestRanges(some);
    const options = unique(some.map(optionOf));
    const [first] = ranges;
    if (options.length === 1)
      return [`The time is ${time(first.points[0].makespan_s.mean, 5)} at ${first.from}, and `, element("strong", {}, time(first.points.at(-1).makespan_s.mean, 5)), ` at ${first.to}. `];
    if (ranges.length === 1)
      return [element("strong", {}, named(first)), ` ${are(first)} the fastest at all sizes, ${span(first)}${first.peers.length > 1 ? "" : leadOf(first)}${marked(first.points)}. `];
    const said = ranges.slice(0, RANGES_SHOWN).flatMap((range, i) => [
      ...(i ? ["; "] : []),
      element("strong", {}, named(range)),
      `${i ? "" : ` ${are(range)} the fastest`} ${span(range)}${marked(range.points)}`,
    ]);
    return [...said, ranges.length > RANGES_SHOWN ? `; ${plural(ranges.length - RANGES_SHOWN, "further change")} at larger sizes. ` : ". "];
  }

  function answer() {
    const line = element("p", {class: "answer", id: "answer"});
    const networks = groups.filter((g) => !isBound(g.fabric));
    if (hasSizes && networks.length) line.append(...fastestBySize(networks));
    for (const program of hasSizes ? [] : programs.length > 3 ? [null] : programs) {
      const fastest = d3.least(networks.filter((g) => (program === null || g.program === program)), (g) => g.makespan_s.mean);
      if (!fastest) continue;
      line.append(
        programs.length > 1 && program !== null ? `The shortest time of ${program} is ` : "The shortest time is ",
        element("strong", {}, time(fastest.makespan_s.mean, 5)),
        `, on ${program === null ? [fastest.fabric, settings(fastest)].join(", ") : label(fastest)}${marked([fastest])}. `,
      );
    }
    const {machine} = sweep.fixed;
    const hosts = machine && machine !== "as-published" ? `The machine is ${machine}. ` : "";
    const marks = unequal().length ? `⚠ marks what differs from ${reference} in more than the fabric:` : "";
    if (!compared) {
      line.append(marks);
      return line;
    }
    const others = rivals();
    others.forEach(({name, some}, i) => {
      const [said, mood] = comparison(some);
      line.append(i ? (i === others.length - 1 ? ", and " : ", ") : "", name, " is ", element("strong", {class: mood}, said), ` ${baselineName}${marked(some)}`);
    });
    if (others.length) line.append(`. ${hosts}`);
    line.append(marks);
    return line;
  }

  // Runs that failed, or have not been run: what is shown is of the others.
  function unfinishedLine() {
    const {unfinished} = sweep;
    if (!unfinished) return [];
    const all = unfinished + sweep.runs;
    return [element("p", {id: "unfinished"}, element("strong", {class: "mark"}, `${unfinished} of ${plural(all, "run")} ${unfinished === 1 ? "has" : "have"} no result: failed, or not run yet.`))];
  }

  // The fabrics that are not compared fairly, with their reasons, which may differ between settings.
  const REASONS_SHOWN = 3; // of a fabric
  function unequal() {
    return fabrics
      .map((fabric) => ({fabric, reasons: unique(groups.filter((g) => g.fabric === fabric).map(reasonOf)).filter((reason) => reason)}))
      .filter(({reasons}) => reasons.length);
  }
  function unequalList() {
    const found = unequal();
    if (!found.length) return [];
    const said = (reasons) => [
      ...reasons.slice(0, REASONS_SHOWN),
      ...(reasons.length > REASONS_SHOWN ? [`and ${reasons.length - REASONS_SHOWN} more with other settings: the table of all points has them`] : []),
    ];
    return [
      element(
        "dl",
        {class: "networks", id: "unequal"},
        ...found.flatMap(({fabric, reasons}) => [
          element("dt", {}, element("span", {}, kit.lineSwatch(styles.get(fabric)), fabric)),
          element("dd", {}, ...said(reasons).map((reason) => element("strong", {class: "mark"}, reason))),
        ]),
      ),
    ];
  }

  // ------------------------------------------------------------------ filters

  const EACH = ""; // no filter: a curve for each value
  const shown = {
    measure: measures[0],
    across: d3.greatest(axes.filter((axis) => axis.isNumeric), (axis) => axis.domain.length) ?? axes.at(-1),
    fabrics: new Set(fabrics),
    values: new Map(axes.map((axis) => [axis, EACH])),
  };
  const others = () => axes.filter((axis) => axis !== shown.across);
  const curves = () => d3.groups(matching(), (g) => g.fabric, (g) => settings(g, others())).flatMap(([, some]) => some);
  const matching = () =>
    groups.filter(
      (g) =>
        shown.fabrics.has(g.fabric) &&
        shown.measure.of(g) &&
        others().every((axis) => shown.values.get(axis) === EACH || axis.of(g) === shown.values.get(axis)),
    );

  // At first, so few curves that they can be told apart.
  for (const axis of [...others()].reverse()) if (curves().length > CURVES_AT_FIRST) shown.values.set(axis, axis.domain[0]);

  function choice(name, options, chosen, choose) {
    const select = element("select", {}, ...options.map(({value, text}) => element("option", {value}, text)));
    select.value = chosen;
    select.addEventListener("change", () => choose(select.value));
    return element("label", {class: "choice"}, element("span", {}, name), select);
  }

  function filters(update) {
    const form = element("form", {id: "filters", class: "filters", "aria-label": "What the charts and the table show"});
    const fill = () => {
      const set = (change) => (value) => {
        change(value);
        fill();
        update();
      };
      const boxes = fabrics.map((fabric) => {
        const box = element("input", {type: "checkbox", name: "fabric", value: fabric});
        box.checked = shown.fabrics.has(fabric);
        box.addEventListener("change", () => {
          if (box.checked) shown.fabrics.add(fabric);
          else shown.fabrics.delete(fabric);
          update();
        });
        return element("label", {class: "tick"}, box, kit.lineSwatch(styles.get(fabric)), isBound(fabric) ? `${fabric} (a bound)` : fabric);
      });
      const focused = form.contains(document.activeElement) ? [...form.querySelectorAll("select")].indexOf(document.activeElement) : -1;
      form.replaceChildren(
        ...(measures.length > 1
          ? [choice("Show", measures.map((m) => ({value: m.id, text: m.name})), shown.measure.id, set((id) => (shown.measure = measures.find((m) => m.id === id))))]
          : []),
        ...(axes.length > 1
          ? [choice("Over", axes.map((axis, i) => ({value: String(i), text: axis.name})), String(axes.indexOf(shown.across)), set((i) => (shown.across = axes[i])))]
          : []),
        ...others().map((axis) =>
          choice(
            axis.name,
            [{value: "each", text: "each value"}, ...axis.domain.map((value, i) => ({value: String(i), text: value || "none"}))],
            shown.values.get(axis) === EACH && !axis.domain.includes(EACH) ? "each" : String(axis.domain.indexOf(shown.values.get(axis))),
            set((i) => shown.values.set(axis, i === "each" ? EACH : axis.domain[i])),
          ),
        ),
        ...(fabrics.length > 1 ? [element("fieldset", {}, element("legend", {}, "Fabrics"), ...boxes)] : []),
      );
      if (focused >= 0) form.querySelectorAll("select")[focused]?.focus();
    };
    form.addEventListener("submit", (event) => event.preventDefault());
    fill();
    return form;
  }

  // ------------------------------------------------------------------- curves

  // A curve for each fabric and each setting of the axes that are not filtered. Its settings are shades of its colour,
  // and have markers of their own. Of one fabric, settings have colours of the palette.
  function curvesShown() {
    const all = curves();
    const free = unique(all.map(([setting]) => setting));
    const isOnly = free.length > 1 && unique(all.map(([, points]) => points[0].fabric)).length === 1;
    return all.map(([setting, points]) => {
      const {fabric} = points[0];
      const style = styles.get(fabric);
      const step = free.length > 1 ? Math.round((free.indexOf(setting) / (free.length - 1)) * (SHADES - 1)) : 0;
      const shade = step ? `color-mix(in oklab, ${style.color} ${100 - step * 10}%, var(--card))` : style.color;
      const color = isOnly ? kit.palette[free.indexOf(setting) % kit.palette.length] : shade;
      return {
        fabric,
        style: free.length > 1 ? {...style, color, marker: kit.markers[free.indexOf(setting) % kit.markers.length]} : style,
        name: (isOnly ? setting : free.length > 1 && setting ? `${fabric}, ${setting}` : fabric) + marked(points),
        points: d3.sort(points, (g) => shown.across.domain.indexOf(shown.across.of(g))),
      };
    });
  }

  // A curve is drawn wider than those after it that have the same values, which lie on top. So all are visible.
  const valuesOf = (curve) => JSON.stringify(curve.points.map((g) => [shown.across.of(g), shown.measure.of(g).mean]));
  const widened = (all) => {
    const values = all.map(valuesOf);
    return all.map((curve, i) => 1.5 * Math.min(values.slice(i + 1).filter((other) => other === values[i]).length, 3));
  };

  // Whether the largest value is more than 30 times the smallest one above 0.
  function isLogarithmic(all) {
    const positive = all.flatMap((curve) => curve.points.map((g) => shown.measure.of(g).mean)).filter((mean) => mean > 0);
    return positive.length > 0 && d3.max(positive) / d3.min(positive) > 30;
  }

  function drawCurves(all, width) {
    const {across, measure} = shown;
    const wider = widened(all);
    const points = all.flatMap((curve, i) => curve.points.map((g) => ({curve, i, at: across.at(across.of(g)), value: across.of(g), ...measure.of(g)})));
    // On a logarithmic axis a value or an interval that reaches zero ends at the bottom.
    const smallest = d3.min(points.filter((p) => p.mean > 0), (p) => p.mean) ?? 0;
    const low = (p) => (p.mean > p.half_width ? p.mean - p.half_width : Math.min(p.mean, smallest) / 2);
    const most = d3.max(points, (p) => p.mean + p.half_width);
    const x = kit.settingAxis(across, width - 90);
    const y = kit.valueAxis("y", measure.name, isLogarithmic(all) ? d3.min(points.filter((p) => p.mean > 0), low) : d3.min(points, low), most, measure.tick);
    const bottom = y.scale.type === "log" ? y.scale.domain[0] : -Infinity;
    const above = (of) => (p) => Math.max(of(p), bottom);
    return Plot.plot({
      ...common(width),
      height: 300 + x.below,
      marginLeft: 66,
      marginBottom: 42 + x.below,
      color: {type: "identity"},
      r: {type: "identity"},
      symbol: {type: "identity"},
      x: x.scale,
      y: y.scale,
      marks: [
        ...x.marks,
        ...y.marks,
        ...(measure.id === "speedup" ? [Plot.ruleY([1], {stroke: "currentColor", strokeDasharray: "4 3"})] : []),
        ...(points.some((p) => p.half_width > 0)
          ? [Plot.ruleX(points, {x: "at", y1: above(low), y2: (p) => p.mean + p.half_width, stroke: (p) => p.curve.style.color, strokeWidth: 3, strokeOpacity: 0.35})]
          : []),
        ...all.map((curve, i) =>
          Plot.line(
            points.filter((p) => p.curve === curve),
            {x: "at", y: above((p) => p.mean), stroke: curve.style.color, strokeDasharray: curve.style.dash, strokeWidth: 2 + wider[i]},
          ),
        ),
        Plot.dot(points, {
          x: "at",
          y: above((p) => p.mean),
          r: (p) => 3.5 + wider[p.i],
          sort: null,
          fill: (p) => p.curve.style.color,
          stroke: (p) => p.curve.style.color,
          symbol: (p) => kit.symbolOf(p.curve.style),
          title: (p) => `${p.curve.name}, ${across.name} ${p.value}: ${measure.show(p.mean)}`,
        }),
      ],
    });
  }

  const pointColumns = () => [
    {name: "fabric", of: (g) => g.fabric},
    ...axes.map((axis) => ({name: axis.name, of: axis.of})),
    {name: shown.measure.name, csv: shown.measure.csv, number: true, of: (g) => shown.measure.of(g).mean, show: shown.measure.show},
    ...(repeated ? [{name: "±", csv: "half_width", number: true, of: (g) => shown.measure.of(g).half_width, show: shown.measure.show}] : []),
  ];

  const nothing = (id, title) => section(id, title, "Nothing matches these filters. Choose another value, or tick a fabric.", [], [], null);
  const fixedSettings = () =>
    others()
      .filter((axis) => shown.values.get(axis) !== EACH)
      .map((axis) => `${axis.name} ${shown.values.get(axis)}`)
      .join(", ");

  function curveSection() {
    const {across, measure} = shown;
    const all = curvesShown();
    const title = `${measure.title} ${across.name}`;
    if (!all.length) return nothing("curves", title);
    const points = all.flatMap((curve) => curve.points);
    const least = d3.least(points, (g) => measure.of(g).mean), most = d3.greatest(points, (g) => measure.of(g).mean);
    const words = `${title}, ${plural(all.length, "curve")}: from ${measure.show(measure.of(least).mean)} (${least.fabric}, ${settings(least)}) to ${measure.show(measure.of(most).mean)} (${most.fabric}, ${settings(most)}).`;
    return section(
      "curves",
      title,
      fixedSettings() ? `With ${fixedSettings()}.` : null,
      [
        repeated
          ? "Each point is one setting: the mean over the seeds. The broad line behind it is the 95 % confidence interval."
          : "Each point is one run.",
        ...(others().length ? ["A curve is a fabric with one value of each other parameter. The filters choose which are shown."] : []),
        ...(across.isNumeric ? [] : ["The distances between values are even."]),
        ...(across.hasZeroAside ? [`A logarithmic axis has no 0: ${across.domain[0]} stands one step before ${across.domain[1]}.`] : []),
        ...(isLogarithmic(all) && points.some((g) => measure.of(g).mean <= 0) ? ["Points at the bottom edge take no time."] : []),
        ...(all.some((curve) => marked(curve.points)) ? [`⚠ marks curves that differ from ${reference} in more than the fabric.`] : []),
        ...(measure.id === "speedup" ? [`Points above the dashed line at 1 are faster than ${baselineName} with the same parameters.`] : []),
      ],
      [legend(all.map(({name, style}) => ({name, style}))), chart(words, (width) => drawCurves(all, width))],
      {name: `${measure.id}-over-${across.name}`, columns: pointColumns(), rows: points},
    );
  }

  // --------------------------------------------------------------------- maps

  // Times and other measures go from pale (short, few) to dark. Speedups have colours around 1, which has none: blue is faster, orange is slower.
  function shader(all) {
    const mix = (color, share) => `color-mix(in srgb, ${color} ${Math.round(8 + 62 * share)}%, var(--card))`;
    if (shown.measure.id !== "speedup") {
      const [least, most] = d3.extent(all.filter((c) => c.value > 0), (c) => Math.log(c.value));
      return (v) => mix("var(--faint)", v > 0 ? (most > least ? (Math.log(v) - least) / (most - least) : 0.5) : 0);
    }
    const far = d3.max(all, (c) => Math.abs(Math.log2(c.value))) || 1;
    const isSame = (v) => Math.max(v, 1 / v) < SAME;
    return (v) => (isSame(v) ? "var(--card)" : mix(v > 1 ? "var(--c0)" : "var(--c1)", Math.abs(Math.log2(v)) / far));
  }

  function drawMap(across, down, found, shade, width) {
    const left = labelWidth(down.domain);
    const cell = (width - left - 24) / across.domain.length;
    const narrow = cell < 7 * d3.max(across.domain, (v) => v.length) + 6;
    const labelled = Math.ceil(13 / cell); // each so many cells, because slanted labels are 13 pixels wide
    return Plot.plot({
      ...common(width),
      height: (narrow ? 60 + 6 * d3.max(across.domain, (v) => v.length) : 72) + 28 * down.domain.length,
      marginLeft: left,
      marginBottom: narrow ? 34 + 6 * d3.max(across.domain, (v) => v.length) : 42,
      color: {type: "identity"},
      x: {type: "band", domain: across.domain, ticks: across.domain.filter((_, i) => i % labelled === 0), label: across.name, tickRotate: narrow ? -60 : 0},
      y: {type: "band", domain: down.domain, label: down.name, labelAnchor: "top", labelArrow: "none"},
      marks: [
        Plot.cell(found, {
          x: "x",
          y: "y",
          fill: (c) => shade(c.value),
          inset: 0.5,
          title: (c) => `${c.fabric}, ${across.name} ${c.x}, ${down.name} ${c.y}: ${shown.measure.show(c.value)}`,
        }),
        ...(cell > 66 ? [Plot.text(found, {x: "x", y: "y", text: (c) => shown.measure.show(c.value), fontSize: 10, fill: "currentColor"})] : []),
      ],
    });
  }

  // A cell is one setting: axes that are neither across nor down have one value, that of the filter or else the first.
  function mapSection() {
    const {across, measure} = shown;
    const down = others().find((axis) => shown.values.get(axis) === EACH) ?? others()[0];
    const rest = others().filter((axis) => axis !== down);
    const valueOf = (axis) => (shown.values.get(axis) === EACH ? axis.domain[0] : shown.values.get(axis));
    const cellsOf = (fabric) =>
      groups
        .filter((g) => g.fabric === fabric && measure.of(g) && rest.every((axis) => axis.of(g) === valueOf(axis)))
        .map((g) => ({fabric, reason: g.reason, x: across.of(g), y: down.of(g), value: measure.of(g).mean}));
    const panels = fabrics.filter((fabric) => shown.fabrics.has(fabric)).map((fabric) => ({fabric, found: cellsOf(fabric)})).filter((p) => p.found.length);
    const all = panels.flatMap((p) => p.found);
    const title = `${measure.title} ${across.name} and ${down.name}`;
    if (!all.length) return nothing("map", title);
    const shade = shader(all);
    const columns = [
      {name: "fabric", of: (c) => c.fabric},
      {name: across.name, of: (c) => c.x},
      {name: down.name, of: (c) => c.y},
      {name: measure.name, csv: measure.csv, number: true, of: (c) => c.value, show: measure.show},
    ];
    return section(
      "map",
      title,
      rest.length ? `With ${rest.map((axis) => `${axis.name} ${valueOf(axis)}`).join(", ")}.` : null,
      [
        measure.id !== "speedup"
          ? `A stronger shade is ${rates.includes(measure) ? "more" : "longer"}, on a logarithmic scale that all fabrics share.`
          : `Blue is faster than ${baselineName}, orange is slower; what is as fast has no colour. A stronger colour is a larger difference.`,
      ],
      panels.flatMap(({fabric, found}) => {
        const [least, most] = d3.extent(found, (c) => c.value);
        const words = `${fabric}: ${title}: from ${measure.show(least)} to ${measure.show(most)}.`;
        return [
          ...(panels.length > 1 ? [element("h3", {}, fabric + marked(found))] : []),
          chart(words, (width) => drawMap(across, down, found, shade, width)),
        ];
      }),
      {name: `${measure.id}-map`, columns, rows: all},
    );
  }

  // --------------------------------------------- without anything but fabrics

  function byFabric() {
    const rows = groups.map((g) => ({fabric: g.fabric, reason: g.reason, makespan_s: g.makespan_s.mean}));
    return section(
      "time-by-fabric",
      "Time by fabric",
      null,
      ["Shorter is better."],
      [kit.timeBars(rows, styles, (row) => time(row.makespan_s, 5) + marked([row]))],
      null,
    );
  }

  // ------------------------------------------------------------------ numbers

  function numbers(rows) {
    const metrics = unique(groups.flatMap((g) => Object.keys(g.metrics)));
    const interval = (name, csv, of, show) => [
      {name, csv, number: true, of: (g) => of(g)?.mean ?? null, show},
      ...(repeated ? [{name: "±", csv: `${csv}_half_width`, number: true, of: (g) => of(g)?.half_width ?? null, show}] : []),
    ];
    const columns = [
      {name: "fabric", of: (g) => g.fabric},
      ...axes.map((axis) => ({name: axis.name, of: axis.of, word: d3.max(axis.domain, (value) => value.length) < 48})),
      ...(repeated ? [{name: "runs", of: (g) => g.runs}] : []),
      ...interval("time", "makespan_s", (g) => g.makespan_s, (v) => time(v, 5)),
      ...(compared ? interval("speedup", "speedup", (g) => g.speedup, factor) : []),
      ...(groups.some(reasonOf) ? [{name: "differs", prose: true, of: reasonOf}] : []),
      {name: "idle", csv: "idle_fraction", of: (g) => g.idle_fraction, show: percent},
      {name: "messages", of: (g) => g.messages, show: count},
      {name: "bytes", of: (g) => g.bytes, show: size},
      ...metrics.map((name) => ({name, number: true, of: (g) => g.metrics[name] ?? null, show: (v) => digits(v, 5)})),
      {name: "first id", csv: "id", of: (g) => g.id},
    ];
    return section(
      "numbers",
      rows.length === groups.length ? "All points" : `${count(rows.length)} of ${plural(groups.length, "point")}`,
      repeated
        ? "Times and speedups are means over the seeds, with half the width of their 95 % confidence intervals. All other numbers are those of the first seed's run."
        : null,
      [],
      [table("Points", columns, rows), kit.download("points", columns, rows)],
      null,
    );
  }

  function manifest() {
    const rows = Object.entries(sweep.fixed).filter(([, value]) => value !== null);
    return section(
      "manifest",
      "What was run",
      `Heliograph ${sweep.version}. Varied: ${[...(fabrics.length > 1 ? ["fabric"] : []), ...sweep.axes, ...(repeated ? ["seed"] : [])].join(", ")}. All other parameters were the same in all runs. helio rerun RESULTS.db#ID repeats one of them.`,
      [],
      [
        element(
          "details",
          {},
          element("summary", {}, `${plural(rows.length, "parameter")} that all runs share`),
          table("Parameters that all runs share", [{name: "parameter", of: (r) => r[0]}, {name: "value", of: (r) => r[1]}], rows),
        ),
      ],
      null,
    );
  }

  // ----------------------------------------------------------------- the page

  // Makes the sections that depend on the filters, and leaves open what is open.
  function updater(holder) {
    return () => {
      const open = [...holder.querySelectorAll("details[open]")].map((d) => d.closest("section").id);
      holder.replaceChildren(
        ...(axes.length ? [curveSection()] : []),
        ...(axes.length > 1 ? [mapSection()] : []),
        numbers(groups.filter((g) => axes.length === 0 || (shown.fabrics.has(g.fabric) && others().every((axis) => shown.values.get(axis) === EACH || axis.of(g) === shown.values.get(axis))))),
      );
      for (const id of open) holder.querySelectorAll(`#${id} details`).forEach((d) => (d.open = true));
      kit.refresh();
    };
  }

  function build() {
    document.getElementById("subtitle").textContent =
      `${plural(sweep.runs, "run")}, ${plural(groups.length, "point")}, simulated by Heliograph ${sweep.version}`;
    const holder = element("div", {id: "filtered"});
    const update = updater(holder);
    document
      .getElementById("main")
      .append(answer(), ...unfinishedLine(), ...unequalList(), ...(axes.length ? [filters(update)] : [byFabric()]), holder, manifest());
    update();
  }

  kit.page(build);
})();
