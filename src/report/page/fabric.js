// The metrics of the fabrics of a run: FMUs, links and buffers of the network, and all single numbers.
"use strict";
const fabricSections = (runs, meanings, fabricColor) => {
  const UNITS_SHOWN = 4096;
  const {digits, time, size, count, percent, plural, timeScale, element, table, download, legend, chart, section} = kit;
  const {common, gap, upTo} = kit;

  // A bar for each unit of a fabric, such as an FMU, by its number.
  const bars = (units, {unit, label, of, color, tickFormat}) => (width) =>
    Plot.plot({
      ...common(width),
      marginLeft: 50,
      height: 165,
      color: {type: "identity"},
      x: {label: unit, domain: [0, units.length], tickFormat: "d", ticks: Math.min(units.length, width < 500 ? 4 : 8)},
      y: {label, grid: true, ticks: 3, tickFormat, domain: upTo(units.map(of))},
      marks: [
        Plot.rect(units, {
          x1: (_, i) => i,
          x2: (_, i) => i + 1,
          y1: 0,
          y2: of,
          fill: color,
          insetLeft: gap(units.length, width),
          insetRight: gap(units.length, width),
        }),
        Plot.ruleY([0]),
      ],
    });

  // --------------------------------------------------------------------- FMUs

  // Numbers of waiting accesses and of connected FMUs, as means of bins of time.
  function fmuProfile(run) {
    const {profile_bin_s: bin, waiting_profile_s: waiting, connected_profile_s: connected} = run.fabric_stats;
    if (!waiting?.length) return [];
    const {scale, name: unit} = timeScale(run.makespan_s);
    const color = fabricColor.get(run.fabric);
    const overTime = (title, words, sums) => {
      const bins = sums.map((sum, i) => {
        const from = i * bin;
        const to = from < run.makespan_s ? Math.min(from + bin, run.makespan_s) : from + bin; // the last bin is cut short
        return {from: from / scale, to: to / scale, mean: sum / (to - from)};
      });
      const most = d3.greatest(bins, (b) => b.mean);
      const steps = bins.flatMap((b) => [{at: b.from, mean: b.mean}, {at: b.to, mean: b.mean}]);
      return [
        element("h3", {}, `${run.fabric}: ${title}`),
        chart(
          `${run.fabric}: up to ${digits(most.mean, 3)} ${words} (mean of a bin of ${time(bin)}), at ${digits(most.from, 4)} ${unit}.`,
          (width) =>
            Plot.plot({
              ...common(width),
              marginLeft: 50,
              height: 165,
              x: {label: `time (${unit})`, domain: [0, steps.at(-1).at], ticks: width < 500 ? 4 : 8},
              y: {label: words, grid: true, ticks: 3, domain: upTo(bins.map((b) => b.mean))},
              marks: [
                Plot.areaY(steps, {x: "at", y1: 0, y2: "mean", fill: color, fillOpacity: 0.25}),
                Plot.lineY(steps, {x: "at", y: "mean", stroke: color, strokeWidth: 1.5}),
                Plot.ruleY([0]),
              ],
            }),
        ),
      ];
    };
    return [
      ...overTime("queues over time", "accesses wait", waiting),
      ...overTime("connections over time", "FMUs are connected", connected),
    ];
  }

  function fmuCharts(run, units) {
    if (!run.fabric_stats.accesses)
      return [element("p", {class: "says"}, `On ${run.fabric} no message goes through an FMU.`)];
    const [lowest, highest] = d3.extent(units, (u) => u.share);
    const [fewest, most] = d3.extent(units, (u) => u.writes);
    const color = fabricColor.get(run.fabric);
    return [
      element("h3", {}, `${run.fabric}: busy share`),
      chart(
        `${run.fabric}: the busiest of ${units.length} FMUs is connected ${percent(highest)} of the time, the least busy ${percent(lowest)}.`,
        bars(units, {unit: "FMU", label: "% of the time", of: (u) => 100 * u.share, color}),
      ),
      element("h3", {}, `${run.fabric}: messages written`),
      chart(
        `${run.fabric}: between ${count(fewest)} and ${count(most)} messages are written to an FMU.`,
        bars(units, {unit: "FMU", label: "messages", of: (u) => u.writes, color: "var(--faint)", tickFormat: "~s"}),
      ),
      ...fmuProfile(run),
    ];
  }

  function fmuTable(withFmus) {
    const facts = [
      ["FMUs", (s) => s.busy_s.length, count],
      ["accesses", (s) => s.accesses, count],
      ["switches", (s) => s.switch_count, count],
      ["coalesced accesses", (s) => s.coalesced_count, count],
      ["queue wait, mean", (s) => s.queue_wait_mean_s, (v) => time(v)],
      ["queue wait, max", (s) => s.queue_wait_max_s, (v) => time(v)],
      ["writes that waited for room", (s) => s.space_waits, count],
      ["peak of Q_data", (s) => s.q_data_bytes, (v) => size(v)],
      ["peak of Q_header, entries", (s) => s.q_header_entries, count],
    ];
    const columns = [
      {name: "", of: ([name]) => name},
      ...withFmus.map((run) => ({name: run.fabric, number: true, of: ([, of, show]) => show(of(run.fabric_stats))})),
    ];
    return table("Statistics of the FMUs", columns, facts);
  }

  function fmus() {
    const withFmus = runs.filter((run) => run.fabric_stats.busy_s?.length);
    if (!withFmus.length) return null;
    const units = (run) =>
      run.fabric_stats.busy_s.map((busy, fmu) => ({
        fabric: run.fabric,
        fmu,
        busy,
        share: run.makespan_s ? busy / run.makespan_s : 0,
        writes: run.fabric_stats.writes[fmu],
      }));
    const rows = withFmus.flatMap((run) => units(run));
    const shown = withFmus.filter((run) => run.fabric_stats.busy_s.length <= UNITS_SHOWN);
    const columns = [
      {name: "fabric", of: (r) => r.fabric},
      {name: "FMU", of: (r) => r.fmu},
      {name: "busy", csv: "busy_s", of: (r) => r.busy, show: (v) => time(v)},
      {name: "share", of: (r) => r.share, show: percent},
      {name: "writes", of: (r) => r.writes, show: count},
    ];
    const unused = withFmus.every((run) => !run.fabric_stats.accesses);
    if (unused) return section("fmus", "Flexible Memory Units", null, [], withFmus.flatMap((run) => fmuCharts(run, [])), null);
    return section(
      "fmus",
      "Flexible Memory Units",
      null,
      [
        "An FMU is busy while a node's controller is connected to it: switching, then writing or reading.",
        "If queue waits are long and busy shares low, accesses wait for the controllers of their nodes, and more FMUs do not help. If busy shares are high, more FMUs help.",
        "Over time: the queues of all FMUs together, then the number of connected FMUs, as means of short bins. A queue that stays long means that the pool is too small or that one FMU has too much to do. A queue that comes and goes means that the program sends in bursts.",
        "A coalesced access shares the switching of another one and saves T_switch. Q_data and Q_header are the rings in an FMU. Their peaks show the memory that it needs.",
      ],
      [fmuTable(withFmus), ...shown.flatMap((run) => fmuCharts(run, units(run)))],
      {name: "fmus", columns, rows: rows.slice(0, UNITS_SHOWN * withFmus.length)},
    );
  }

  // -------------------------------------------------------------------- links

  // The load of each link between switches: the first metric of a fabric that has a value for each link. If the metric
  // also has the links of nodes, those come first.
  function linkLoads() {
    const network = meanings.topology;
    if (!network) return [];
    const lengths = [network.links, network.links + 2 * network.nodes];
    return runs.flatMap((run) => {
      const found = Object.entries(run.fabric_stats).find(
        ([name, values]) => name.startsWith("link_") && Array.isArray(values) && lengths.includes(values.length),
      );
      if (!found) return [];
      const name = found[0];
      const values = found[1].slice(-network.links);
      const show = name.endsWith("_s") ? (v) => time(v) : name.endsWith("bytes") ? (v) => size(v) : count;
      return [{fabric: run.fabric, name, values, show, most: d3.max(values), mean: d3.mean(values)}];
    });
  }

  // The colour of a load that is this share of the greatest load.
  const shade = (fabric, share) =>
    `color-mix(in srgb, ${fabricColor.get(fabric)} ${Math.round(100 * Math.sqrt(share))}%, var(--ended))`;

  // A line of the picture shows the busier direction of its links. The darkest line has the busiest link of all.
  function drawnLinks(load) {
    const {picture} = meanings.topology;
    const share = (line) => (load.most ? busier(line) / load.most : 0);
    const busier = (line) => d3.max(line.links, (link) => load.values[link]);
    return (width) =>
      kit.network(picture, width, (group, pathOf) =>
        group
          .selectAll("path")
          .data(d3.sort(picture.lines, busier))
          .join("path")
          .attr("d", pathOf)
          .style("stroke", (line) => shade(load.fabric, share(line)))
          .attr("stroke-width", (line) => 2 + 4 * share(line))
          .attr("stroke-dasharray", (line) => (line.has_failed ? "2 6" : null))
          .append("title")
          .text((line) =>
            line.names
              .map((name, i) => `${name}: ${load.show(load.values[line.links[i]])}${line.has_failed ? ", failed" : ""}`)
              .join("\n"),
          ),
      );
  }

  // Links from the busiest to the least busy.
  function sortedCurve(load) {
    const sorted = d3.sort(load.values, (a, b) => b - a);
    const step = Math.max(1, Math.floor(sorted.length / 1000));
    const points = sorted.map((value, i) => ({at: sorted.length > 1 ? (100 * i) / (sorted.length - 1) : 0, value}));
    const few = points.filter((_, i) => i % step === 0 || i === points.length - 1);
    return (width) =>
      Plot.plot({
        ...common(width),
        height: 190,
        marginLeft: 50,
        x: {label: "% of the links", domain: [0, 100]},
        y: {label: "% of the busiest", grid: true, ticks: 4, domain: [0, 100]},
        marks: [
          Plot.areaY(few, {x: "at", y: (p) => (load.most ? (100 * p.value) / load.most : 0), fill: fabricColor.get(load.fabric), fillOpacity: 0.25}),
          Plot.lineY(few, {x: "at", y: (p) => (load.most ? (100 * p.value) / load.most : 0), stroke: fabricColor.get(load.fabric), strokeWidth: 2}),
        ],
      });
  }

  function links() {
    const loads = linkLoads();
    if (!loads.length) return null;
    const {picture, text} = meanings.topology;
    const names = new Map((picture?.lines ?? []).flatMap((line) => line.links.map((link, i) => [link, line.names[i]])));
    const nameOf = (link) => names.get(link) ?? String(link);
    const said = (load) => {
      if (!load.most) return "All links have zero.";
      const name = names.get(load.values.indexOf(load.most));
      return `The busiest link${name ? `, ${name},` : ""} has ${load.show(load.most)}, ${digits(load.most / load.mean, 3)} times the mean.`;
    };
    const rows = loads
      .flatMap((load) => load.values.map((value, link) => ({load, link, value})))
      .slice(0, UNITS_SHOWN * loads.length);
    const columns = [
      {name: "fabric", of: (r) => r.load.fabric},
      {name: "link", of: (r) => nameOf(r.link)},
      {name: "statistic", of: (r) => r.load.name},
      {name: "value", number: true, of: (r) => r.value},
    ];
    return section(
      "links",
      `Links of ${text}`,
      null,
      [
        "A line is the pair of links between two switches. Its width and darkness show the load of the busier one, relative to the busiest link of all. Links of nodes are left out." +
          (picture?.lines.some((line) => line.has_failed) ? " A dashed line is a link that fails." : ""),
        "Below are all links in order of their load. A flat curve means an even load. A steep curve means that a few links carry most of it.",
      ],
      loads.flatMap((load) => [
        element("h3", {}, `${load.fabric}: ${meanings.metrics[load.name].doc}`),
        element("p", {class: "says"}, said(load)),
        ...(picture ? [chart(`${text} under ${load.fabric}: ${said(load)}`, drawnLinks(load))] : []),
        chart(
          `All ${count(load.values.length)} links of ${load.fabric} in order of their load; the mean is ${percent(load.most ? load.mean / load.most : 0)} of the busiest.`,
          sortedCurve(load),
        ),
      ]),
      {name: "links", columns, rows},
    );
  }

  // ------------------------------------------------------------------ buffers

  // The name of the switch that a buffer is in, or its number.
  const placeOf = (run) => (buffer) => {
    const place = run.fabric_stats.buffer_switch[buffer];
    return meanings.topology?.picture?.switches[place].name ?? `switch ${place}`;
  };

  // The size and darkness of a circle in the picture show how busy its buffer is.
  function drawnBuffers(run) {
    const {buffer_reserved_s: reserved, buffer_switch: places} = run.fabric_stats;
    const most = d3.max(reserved) || 1;
    const {picture} = meanings.topology;
    const busy = new Map(reserved.map((s, buffer) => [picture.switches[places[buffer]], s]));
    const lines = (group, pathOf) =>
      group
        .selectAll("path")
        .data(picture.lines)
        .join("path")
        .attr("d", pathOf)
        .style("stroke", "var(--ended)")
        .attr("stroke-width", 2);
    const circles = (switches) =>
      switches
        .filter((at) => busy.has(at))
        .attr("r", (at) => 6 + 12 * Math.sqrt(busy.get(at) / most))
        .style("fill", (at) => shade(run.fabric, busy.get(at) / most))
        .style("stroke", "var(--faint)")
        .select("title")
        .text((at) => `${at.name}: ${time(busy.get(at))}`);
    return (width) => kit.network(picture, width, lines, circles);
  }

  function bufferCharts(run) {
    const reserved = run.fabric_stats.buffer_reserved_s;
    const most = d3.max(reserved);
    const {scale, name} = timeScale(most);
    const color = fabricColor.get(run.fabric);
    const at = placeOf(run)(reserved.indexOf(most));
    const said = most ? `The busiest buffer, at ${at}, was reserved for ${time(most)} of slot time.` : "No buffer was reserved.";
    const columns = [
      {name: "times stored", of: (r) => r.times},
      {name: "packets", of: (r) => r.packets, show: count},
    ];
    return [
      element("h3", {}, `${run.fabric}: slot time by buffer`),
      element("p", {class: "says"}, said),
      ...(most && meanings.topology?.picture
        ? [chart(`${meanings.topology.text} under ${run.fabric} and its buffers. ${said}`, drawnBuffers(run))]
        : []),
      ...(most
        ? [
            chart(
              `${run.fabric}: ${plural(reserved.length, "buffer")}. ${said}`,
              bars(reserved, {unit: "buffer", label: name, of: (s) => s / scale, color}),
            ),
          ]
        : []),
      table(
        `${run.fabric}: how often packets were stored`,
        columns,
        run.fabric_stats.times_stored.map((packets, times) => ({times, packets})),
      ),
    ];
  }

  // The buffers of segment switching.
  function buffers() {
    const withBuffers = runs.filter((run) => run.fabric_stats.buffer_reserved_s?.length);
    if (!withBuffers.length) return null;
    const rows = withBuffers.flatMap((run) =>
      run.fabric_stats.buffer_reserved_s.map((value, buffer) => ({fabric: run.fabric, buffer, at: placeOf(run)(buffer), value})),
    );
    const columns = [
      {name: "fabric", of: (r) => r.fabric},
      {name: "buffer", of: (r) => r.buffer},
      {name: "switch", of: (r) => r.at},
      {name: "slot time", csv: "reserved_s", number: true, of: (r) => r.value, show: (v) => time(v)},
    ];
    return section(
      "buffers",
      "Buffers in the switches",
      null,
      [
        "The sum of the times for which the slots of each buffer were reserved. The size and darkness of a circle show this sum for the buffer of a switch, relative to the busiest buffer. A point is a switch without a buffer.",
        "A packet is stored if its next link has no free channel. A packet that is stored often meets many busy links.",
      ],
      withBuffers.flatMap(bufferCharts),
      {name: "buffers", columns, rows: rows.slice(0, UNITS_SHOWN * withBuffers.length)},
    );
  }

  // -------------------------------------------- everything that is one number

  function statistics() {
    const names = [...new Set(runs.flatMap((run) => Object.keys(run.fabric_stats)))];
    const rows = names
      .filter((name) => runs.some((run) => typeof run.fabric_stats[name] === "number"))
      .map((name) => ({name, ...meanings.metrics[name]}));
    if (!rows.length) return null;
    const shown = {seconds: (v) => time(v), bytes: (v) => size(v)};
    const columns = [
      {name: "statistic", of: (r) => r.name},
      ...runs.map((run) => ({name: run.fabric, of: (r) => run.fabric_stats[r.name]})),
      {name: "meaning", of: (r) => r.doc},
    ];
    const pretty = columns.map((c, i) =>
      i === 0 || i > runs.length
        ? c
        : {
            ...c,
            number: true,
            of: (r) => {
              const v = c.of(r);
              return typeof v !== "number"
                ? ""
                : (r.name.endsWith("_s") ? shown.seconds : (shown[r.unit] ?? count))(v);
            },
          },
    );
    return section(
      "statistics",
      "What the fabrics counted",
      null,
      [],
      [
        element(
          "details",
          {},
          element("summary", {}, plural(rows.length, "statistic")),
          table("Statistics of the fabrics", pretty, rows),
          download("fabric-statistics", columns, rows),
        ),
      ],
      null,
    );
  }

  return [fmus(), links(), buffers(), statistics()];
};
