// Where in the source of the program its ranks wait.
"use strict";
const siteSections = (runs, styles) => {
  const {time, count, percent, element, chart, section, legend, namedBars, upTo, rankCount} = kit;
  const shown = runs.filter((run) => run.sites?.length);
  if (!shown.length) return [];

  const SHOWN = 12;
  const nameOf = (site) => site.name ?? "elsewhere";
  const ranked = d3.sort(
    d3.rollups(shown.flatMap((run) => run.sites), (sites) => d3.max(sites, (site) => site.idle_share), nameOf),
    ([, share]) => -share,
  );
  const names = ranked.slice(0, SHOWN).map(([name]) => name);
  const rows = shown.flatMap((run) =>
    run.sites.map((site) => ({
      ...site,
      name: nameOf(site),
      fabric: run.fabric,
      mean_s: site.idle_s / rankCount(run),
      path_share: run.makespan_s > 0 ? site.critical_path_s / run.makespan_s : 0,
    })),
  );
  const drawn = rows.filter((row) => names.includes(row.name));
  const color = (fabric) => styles.get(fabric).color;
  const words = names.map((name) => `${name}: ${drawn.filter((row) => row.name === name).map((row) => `${percent(row.idle_share)} on ${row.fabric}`).join(", ")}`);
  const draw = namedBars({
    names,
    fabrics: shown.map((run) => run.fabric),
    rows: drawn,
    at: (row) => 100 * row.idle_share,
    label: "share of all ranks' time (%)",
    domain: upTo(drawn.map((row) => 100 * row.idle_share)),
    styles,
    title: (row) => `${row.name} on ${row.fabric}: ${percent(row.idle_share)}, ${time(row.mean_s)} of a rank`,
  });
  const columns = [
    {name: "call site", csv: "call_site", word: true, of: (row) => row.name},
    {name: "fabric", of: (row) => row.fabric},
    {name: "waits", of: (row) => row.waits, show: count},
    {name: "waiting of a rank", csv: "mean_idle_s", of: (row) => row.mean_s, show: (v) => time(v)},
    {name: "share", csv: "idle_share", of: (row) => row.idle_share, show: percent},
    ...(rows.some((row) => row.critical_path_s !== undefined)
      ? [{name: "of the path", csv: "path_share", of: (row) => row.path_share, show: percent}]
      : []),
  ];
  return [
    section(
      "call-sites",
      "Where in the source ranks wait",
      null,
      [
        "A bar is the time that ranks are blocked in the calls of one line of the source, as a share of the time of all ranks.",
        "The table also has the share of the critical path that is on messages for which a call of this line waits.",
        ...(ranked.length > SHOWN ? [`The chart has ${SHOWN} of ${ranked.length} lines, the table all.`] : []),
      ],
      [
        ...(shown.length > 1 ? [legend(shown.map(({fabric}) => ({name: fabric, color: color(fabric)})))] : []),
        chart(`Bars. ${words.join("; ")}.`, draw),
      ],
      {name: "call-sites", columns, rows},
    ),
  ];
};
