// The program of the page of a breakdown: the parts of a message's time, and the time with other component times. It
// computes sums only. The data say how components follow from the times of a system.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("results").textContent);
  const {digits, percent, count, element, table, download, legend, chart, refresh, section, palette, common, labelWidth} = kit;
  const ns = (value) => `${digits(value, value >= 1000 ? 6 : value >= 100 ? 5 : 4)}\u00a0ns`;

  // ----------------------------------------------------------------- the sums

  const now = data.times.map((time) => time.time_ns); // at the present positions of the sliders

  // The time of each component for these times of the system.
  function components(times) {
    const of = data.components.map((component) => component.time_ns);
    data.times.forEach((time, i) => {
      if (!time.time_ns) return;
      const more = times[i] / time.time_ns - 1;
      for (const {part, time_ns} of time.parts) of[part] += more * time_ns;
    });
    return of;
  }
  const sum = (of, parts) => d3.sum(parts, (part) => of[part]);
  const before = components(now);
  const total = (of, id) => sum(of, data.totals.find((one) => one.id === id).parts);
  const bar = (name) => data.bars.find((one) => one.name === name);
  const messages = (of) => 1e9 / Math.max(total(of, "overall_injection"), data.channel_ns); // per second
  const rate = (value) => `${digits(value / 1e6, 4)}\u00a0M/s`;

  // Each time halved alone, the largest saving first.
  const halved = data.times
    .map((time, i) => {
      const of = components(now.map((value, j) => (i === j ? value / 2 : value)));
      return {
        name: time.name,
        latency_ns: total(before, "latency") - total(of, "latency"),
        injection_ns: total(before, "overall_injection") - total(of, "overall_injection"),
      };
    })
    .filter((row) => row.latency_ns > 0 || row.injection_ns > 0)
    .sort((a, b) => b.latency_ns - a.latency_ns || b.injection_ns - a.injection_ns);

  function answer() {
    const whole = bar("End-to-end latency");
    const largest = d3.greatest(whole.parts, (part) => sum(before, part.parts));
    const category = d3.greatest(bar("End-to-end latency by category").parts, (part) => sum(before, part.parts));
    const latency = total(before, "latency");
    return element(
      "p",
      {class: "answer", id: "answer"},
      `A message of ${count(data.payload_bytes)} byte${data.payload_bytes === 1 ? "" : "s"} takes `,
      element("strong", {}, ns(latency)),
      " from MPI_Isend to the end of MPI_Wait at its receiver. The largest part is ",
      element("strong", {}, `${largest.name}, ${ns(sum(before, largest.parts))}`),
      `; of the three categories, ${category.name} takes ${percent(sum(before, category.parts) / latency)}. `,
      halved.length ? `Halving one time alone saves most with ${halved[0].name}: ${ns(halved[0].latency_ns)}.` : "",
    );
  }

  // -------------------------------------------------------------------- tiles

  const tileData = [
    ...data.totals.map((one) => ({name: one.name, of: (of) => sum(of, one.parts), show: ns})),
    {name: "Messages per second, with MPI", of: messages, show: rate, more: true},
  ];

  function tiles() {
    const values = tileData.map(() => element("span", {class: "value"}));
    const changes = tileData.map(() => element("span", {class: "more"}));
    const list = element(
      "ul",
      {class: "tiles", id: "totals", "aria-label": "Sums with the present sliders"},
      ...tileData.map((tile, i) =>
        element("li", {}, element("span", {class: "label"}, tile.name), values[i], changes[i]),
      ),
    );
    const update = (of) =>
      tileData.forEach((tile, i) => {
        const [was, is] = [tile.of(before), tile.of(of)];
        values[i].textContent = tile.show(is);
        changes[i].textContent = change(was, is);
      });
    return {list, update};
  }

  const change = (was, is) => {
    if (Math.abs(is - was) < 1e-9 * was) return "as measured";
    return `${is < was ? "−" : "+"}${percent(Math.abs(is - was) / was)}, was ${was < 1e5 ? ns(was) : rate(was)}`;
  };

  // ------------------------------------------------------------------ sliders

  const layers = [
    {name: "MPI and UCP (HLP)", has: /^(HLP|Misc)/},
    {name: "UCT (LLP)", has: /^(LLP|busy|measurement)/},
    {name: "I/O", has: /^(PCIe|RC_to_MEM|MEM_read|doorbell|NIC)/},
    {name: "Network", has: /^(Wire|Switch)/},
  ];
  const counted = new Set(data.totals.flatMap((one) => one.parts));
  const shown = (time) => time.parts.some(({part}) => counted.has(part));
  const MOST_PERCENT = 300;

  function slider(i, changed) {
    const time = data.times[i];
    const id = `time-${i}`;
    const input = element("input", {type: "range", id, min: 0, max: MOST_PERCENT, step: 1, value: 100});
    const output = element("output", {for: id});
    const show = () => {
      output.textContent = now[i] === time.time_ns ? ns(now[i]) : `${ns(time.time_ns)} → ${ns(now[i])}`;
      input.setAttribute("aria-valuetext", ns(now[i]));
    };
    input.addEventListener("input", () => {
      now[i] = (time.time_ns * Number(input.value)) / 100;
      show();
      changed();
    });
    const set = (time_ns) => {
      now[i] = time_ns;
      input.value = Math.round((100 * time_ns) / time.time_ns);
      show();
    };
    show();
    return {set, row: element("div", {class: "slider"}, element("label", {for: id}, time.name), output, input)};
  }

  function sliders(changed) {
    const made = new Map();
    const groups = layers.map((layer) => {
      const rows = data.times.flatMap((time, i) => {
        if (!layer.has.test(time.name) || !shown(time)) return [];
        made.set(i, slider(i, changed));
        return [made.get(i).row];
      });
      return rows.length ? element("fieldset", {}, element("legend", {}, layer.name), ...rows) : null;
    });
    return {made, groups};
  }

  // The changes that the paper discusses, and a button that resets them.
  function presets(made, changed) {
    const reset = () => made.forEach(({set}, i) => set(data.times[i].time_ns));
    const button = (name, doc, act) => {
      const one = element("button", {type: "button", title: doc}, name);
      one.addEventListener("click", () => {
        act();
        changed();
      });
      return one;
    };
    // A time of zero has no slider, so a change of this time alone has no button.
    const possible = data.optimisations.filter((one) => one.times.some(({time}) => made.has(time)));
    return element(
      "div",
      {class: "presets", role: "group", "aria-label": "Changes that the paper discusses"},
      ...possible.map((one) =>
        button(`${one.name}: ${one.change}`, one.doc, () => {
          reset();
          for (const {time, time_ns} of one.times) made.get(time)?.set(time_ns);
        }),
      ),
      button("All as measured", "Every slider back to 100 %", reset),
    );
  }

  // -------------------------------------------------------------- the latency

  const latencyBar = bar("End-to-end latency");
  const colors = [...palette, "var(--compute)", "var(--faint)"]; // the largest number of parts of a bar
  const latencyColor = new Map(latencyBar.parts.map((part, i) => [part.name, colors[i]]));

  function latencyRows() {
    const of = components(now);
    const moved = data.times.some((time, i) => now[i] !== time.time_ns);
    const row = (name, times) => latencyBar.parts.map((part) => ({row: name, part: part.name, time_ns: sum(times, part.parts)}));
    return moved ? [...row("as measured", before), ...row("what if", of)] : row("as measured", before);
  }

  function drawLatency(width) {
    const rows = latencyRows();
    const names = [...new Set(rows.map((row) => row.row))];
    return Plot.plot({
      ...common(width),
      height: 68 + 46 * names.length,
      marginLeft: labelWidth(names),
      color: {type: "identity"},
      x: {label: "ns", grid: true, zero: true},
      y: {label: null, domain: names},
      marks: [
        Plot.barX(
          rows,
          Plot.stackX({
            x: "time_ns",
            y: "row",
            fill: (row) => latencyColor.get(row.part),
            order: latencyBar.parts.map((part) => part.name),
            z: "part",
            inset: 0.5,
            title: (row) => `${row.part}: ${ns(row.time_ns)}`,
          }),
        ),
        Plot.ruleX([0]),
      ],
    });
  }

  function whatIf(changed) {
    const {made, groups} = sliders(changed);
    const said = element("p", {class: "says", id: "whatif-sum", role: "status", "aria-live": "polite"});
    const update = (of) => {
      const [was, is] = [total(before, "latency"), total(of, "latency")];
      said.textContent =
        Math.abs(is - was) < 1e-9 * was
          ? "Move a slider, or press one of the changes that the paper discusses. The sums above change with it."
          : `End-to-end latency ${ns(was)} → ${ns(is)}: ${percent(Math.abs(was - is) / was)} ${is < was ? "less" : "more"}, ${digits(was / is, 4)} times as fast.`;
    };
    const columns = [
      {name: "time", of: (row) => row.row},
      {name: "component", of: (row) => row.part},
      {name: "ns", csv: "time_ns", number: true, of: (row) => row.time_ns, show: ns},
    ];
    const made_ = section(
      "whatif",
      "What if",
      null,
      [
        "Each slider is a time of the system file, from zero to three times its value. The new value stands under its name. A time of zero has no slider. The page computes sums only, without overlap, contention or a change of protocol.",
      ],
      [
        said,
        presets(made, changed),
        legend(latencyBar.parts.map((part) => ({name: part.name, color: latencyColor.get(part.name)}))),
        chart(
          `End-to-end latency of ${ns(total(before, "latency"))}: ${latencyBar.parts.map((part) => `${part.name} ${ns(sum(before, part.parts))}`).join(", ")}.`,
          drawLatency,
        ),
        element("div", {class: "sliders"}, ...groups),
      ],
      {name: "latency", columns, rows: latencyRows()},
    );
    return {made: made_, update};
  }

  // ---------------------------------------------- which improvement buys most

  function ranking() {
    const columns = [
      {name: "time halved", of: (row) => row.name},
      {name: "latency saved", csv: "latency_saved_ns", number: true, of: (row) => row.latency_ns, show: ns},
      {name: "injection saved", csv: "injection_saved_ns", number: true, of: (row) => row.injection_ns, show: ns},
    ];
    const series = [
      {name: "latency", key: "latency_ns", color: palette[0]},
      {name: "overall injection", key: "injection_ns", color: palette[1]},
    ];
    const points = halved.flatMap((row) => series.map((one) => ({name: row.name, series: one, saved_ns: row[one.key]})));
    return section(
      "ranking",
      "Which single improvement buys most",
      "Each time is halved alone.",
      ["A message crosses PCIe at both ends, so halving the PCIe time saves one whole crossing."],
      [
        legend(series),
        chart(`Halving ${halved[0].name} saves ${ns(halved[0].latency_ns)} of the latency, more than any other.`, (width) =>
          Plot.plot({
            ...common(width),
            height: 68 + 26 * halved.length,
            marginLeft: labelWidth(halved.map((row) => row.name)),
            color: {type: "identity"},
            x: {label: "ns saved", grid: true},
            fy: {label: null, domain: halved.map((row) => row.name), padding: 0.25},
            y: {axis: null, domain: series.map((one) => one.name)},
            marks: [
              Plot.barX(points, {
                fy: "name",
                y: (point) => point.series.name,
                x: "saved_ns",
                fill: (point) => point.series.color,
                title: (point) => `${point.name}: ${ns(point.saved_ns)} of the ${point.series.name}`,
              }),
              Plot.ruleX([0]),
            ],
          }),
        ),
      ],
      {name: "halved", columns, rows: halved},
    );
  }

  // ----------------------------------------------------------- all breakdowns

  function breakdowns() {
    const rows = data.bars.flatMap((one) => {
      const whole = d3.sum(one.parts, (part) => sum(before, part.parts));
      return one.parts.map((part, i) => ({
        bar: `${one.figure}: ${one.name}`,
        part: part.name,
        order: i,
        time_ns: sum(before, part.parts),
        share: whole ? sum(before, part.parts) / whole : 0,
      }));
    });
    const names = [...new Set(rows.map((row) => row.bar))];
    const columns = [
      {name: "breakdown", of: (row) => row.bar},
      {name: "part", of: (row) => row.part},
      {name: "time", csv: "time_ns", number: true, of: (row) => row.time_ns, show: ns},
      {name: "share", number: true, of: (row) => row.share, show: percent},
    ];
    const draw = (width) => {
      const beside = width > 620; // otherwise the names stand above their bars
      return Plot.plot({
        ...common(width),
        height: 68 + (beside ? 30 : 52) * names.length,
        marginLeft: beside ? labelWidth(names) : 8,
        color: {type: "identity"},
        x: {label: "share", percent: true, domain: [0, 100]},
        fy: {label: null, axis: beside ? undefined : null, domain: names, padding: beside ? 0.2 : 0},
        y: {axis: null},
        marks: [
          Plot.barX(
            rows,
            Plot.stackX({
              fy: "bar",
              x: "share",
              fill: (row) => colors[row.order],
              z: "order",
              order: "order",
              insetTop: beside ? 0 : 26, // a name is nearer to its own bar than to the previous one
              insetRight: 0.5,
              title: (row) => `${row.part}: ${ns(row.time_ns)}, ${percent(row.share)}`,
            }),
          ),
          ...(beside ? [] : [Plot.text(names, {fy: (name) => name, text: (name) => name, frameAnchor: "top-left", dy: 9})]),
        ],
      });
    };
    return section(
      "breakdowns",
      "Every breakdown of the paper's figures",
      null,
      ["The parts of each bar add up to the whole. Point at a part for its name and time, or open the table."],
      [chart(`${names.length} bars, each divided into its parts: ${names.join("; ")}.`, draw)],
      {name: "breakdowns", columns, rows},
    );
  }

  function sources() {
    const columns = [
      {name: "time", of: (time) => time.name},
      {name: "ns", csv: "time_ns", number: true, of: (time) => time.time_ns, show: ns},
      {name: "from", prose: true, of: (time) => time.source},
    ];
    return section(
      "manifest",
      "The system's times",
      data.system ? `${data.system}. Payload ${data.inlined ? "inlined into the descriptor" : "fetched by the NIC"}.` : null,
      [],
      [table("The system's times", columns, data.times), download("times", columns, data.times)],
      null,
    );
  }

  // ----------------------------------------------------------------- the page

  function build() {
    document.getElementById("subtitle").textContent =
      `${data.system ? `${data.system}, ` : ""}by Heliograph ${data.version}`;
    const sums = tiles();
    const changed = () => {
      const of = components(now);
      sums.update(of);
      whatif.update(of);
      refresh();
    };
    const whatif = whatIf(changed);
    document
      .getElementById("main")
      .append(answer(), sums.list, whatif.made, ...(halved.length ? [ranking()] : []), breakdowns(), sources());
    changed();
  }

  kit.page(build);
})();
