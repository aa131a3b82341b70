// How much later things could be without a longer run: how many messages have how much slack, and which have least.
"use strict";
const slackSections = (runs, styles) => {
  const {time, size, count, percent, plural, element, table, chart, section, legend, common, valueAxis, rankCount} = kit;
  const shown = runs.filter((run) => run.slack?.messages);
  if (!shown.length) return [];

  const colorOf = (fabric) => styles.get(fabric).color;
  const share = (run, messages) => messages / run.slack.messages;

  // The share of messages whose slack is below each bound. Messages for which nobody waits are below none.
  const extent = d3.extent(shown.flatMap((run) => run.slack.messages_below), (below) => below.below_s);
  const pointsOf = (run) => run.slack.messages_below.map((below) => ({fabric: run.fabric, at: below.below_s, share: share(run, below.count), count: below.count}));
  const points = shown.flatMap(pointsOf);
  // A line goes on to both ends of the axis.
  const lineOf = (run, ends) => {
    const [first, last] = [pointsOf(run).at(0), pointsOf(run).at(-1)];
    return [{...first, at: Math.min(first.at, ends[0])}, ...pointsOf(run), {...last, at: Math.max(last.at, ends[1])}];
  };

  function draw(width) {
    const x = valueAxis("x", "slack", extent[0], extent[1], (s) => time(s, 1), true);
    return Plot.plot({
      ...common(width),
      marginLeft: 60,
      height: 240,
      color: {type: "identity"},
      x: x.scale,
      y: {label: "messages with less slack (%)", grid: true, domain: [0, 100], ticks: 5},
      marks: [
        ...x.marks,
        ...shown.filter((run) => run.slack.messages_below.length).map((run, i) =>
          Plot.line(lineOf(run, x.scale.domain), {
            x: "at",
            y: (p) => 100 * p.share,
            stroke: colorOf(run.fabric),
            strokeWidth: 2,
            strokeDasharray: i % 2 ? "7 5" : null,
          }),
        ),
        Plot.dot(points, {
          x: "at",
          y: (p) => 100 * p.share,
          fill: (p) => colorOf(p.fabric),
          r: 3,
          title: (p) => `${p.fabric}: ${percent(p.share)}, ${plural(p.count, "message")}, could each take less than ${time(p.at)} more`,
        }),
        Plot.ruleY([0]),
      ],
    });
  }

  const says = shown
    .map((run) => {
      const {slack} = run;
      const nobody = slack.messages_unlimited ? `, and ${plural(slack.messages_unlimited, "message")} that nobody waits for` : "";
      return `On ${run.fabric}, ${percent(share(run, slack.messages_without))} of the messages and ${count(slack.ranks_without)} of ${plural(rankCount(run), "rank")} have no slack${nobody}.`;
    })
    .join(" ");

  const near = shown.flatMap((run) => run.slack.near.map((message) => ({...message, fabric: run.fabric})));
  const columns = [
    {name: "message", of: (m) => m.message},
    ...(shown.length > 1 ? [{name: "on", csv: "fabric", word: true, of: (m) => m.fabric}] : []),
    {name: "slack", csv: "slack_s", of: (m) => m.slack_s, show: (v) => time(v)},
    {name: "from", csv: "source", number: true, of: (m) => m.source},
    {name: "to", csv: "destination", number: true, of: (m) => m.destination},
    {name: "bytes", of: (m) => m.bytes, show: (v) => size(v)},
    {name: "call", word: true, of: (m) => m.call},
    {name: "sent", csv: "start_s", of: (m) => m.start_s, show: (v) => time(v)},
    ...(near.some((m) => m.sent_at !== undefined) ? [{name: "sent at", csv: "sent_at", word: true, of: (m) => m.sent_at ?? ""}] : []),
  ];
  const counted = [
    {name: "fabric", of: (p) => p.fabric},
    {name: "slack below", csv: "below_s", of: (p) => p.at, show: (v) => time(v)},
    {name: "messages", of: (p) => p.count, show: count},
    {name: "share", of: (p) => p.share, show: percent},
  ];
  const words = shown.map((run) => `${run.fabric}: ${percent(share(run, run.slack.messages_without))} have none`).join("; ");
  return [
    section(
      "slack",
      "Slack",
      says,
      [
        "The slack of a message is how much longer it could take without a later end of the run, if all else stays as it was. What is on the critical path has none.",
        "The chart has the share of messages whose slack is below each time: where it is low until far to the right, few messages decide.",
        "The table has messages that are nearest to the path: those with the least slack of all that have some.",
      ],
      [
        ...(shown.length > 1 ? [legend(shown.map(({fabric}) => ({name: fabric, color: colorOf(fabric)})))] : []),
        ...(points.length ? [chart(`Lines: the share of messages with less slack than each time. ${words}.`, draw)] : []),
        ...(near.length ? [table("Messages nearest to the critical path", columns, near), kit.download("slack-near", columns, near)] : []),
      ],
      points.length ? {name: "slack", columns: counted, rows: points} : null,
    ),
  ];
};
