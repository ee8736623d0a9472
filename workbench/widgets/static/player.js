// The step player: one view of a lesson, a trace whose every step is complete in itself.
// Static parts are built once; a step only changes texts, classes and attributes.

const CELLS_SHOWN = 40;
const ROWS_SHOWN = 12;
const MILLISECONDS_A_STEP = 1200;
const SPEEDS = [[0.5, "½×"], [1, "1×"], [2, "2×"], [4, "4×"], [8, "8×"]];
const SOURCE_LINES_SHOWN = 16;

// --- Small tools -----------------------------------------------------------------------------

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) setAttribute(node, name, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const h = (tag, attributes, ...children) =>
  build(document.createElement(tag), attributes, children);

const s = (tag, attributes, ...children) =>
  build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function setHidden(node, hidden) {
  if (node.hidden !== hidden) node.hidden = hidden;
}

const spoken = (text) => h("span", { class: "wbp-spoken" }, text);

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

function format(value) {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "number" && !Number.isInteger(value)) return String(+value.toPrecision(6));
  if (Array.isArray(value)) return `[${value.map(format).join(", ")}]`;
  if (typeof value === "object") return Object.entries(value).map(([name, one]) => `${name} ${format(one)}`).join(", ");
  return String(value);
}

const shorten = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

// --- Source ----------------------------------------------------------------------------------

const TOKEN = new RegExp(
  [
    "(?<remark>#.*$)",
    "(?<text>\"\"\".*?(?:\"\"\"|$)|\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*')",
    "\\b(?<word>and|as|assert|break|class|continue|def|del|elif|else|except|False|finally|for|from|" +
      "global|if|import|in|is|lambda|None|nonlocal|not|or|pass|raise|return|True|try|while|with|yield)\\b",
    "\\b(?<number>\\d[\\w.]*)\\b",
  ].join("|"),
  "g",
);

function coloured(line) {
  const pieces = [];
  let end = 0;
  for (const match of line.matchAll(TOKEN)) {
    const [kind] = Object.entries(match.groups).find(([, found]) => found !== undefined);
    pieces.push(line.slice(end, match.index), h("span", { class: `wbp-${kind}` }, match[0]));
    end = match.index + match[0].length;
  }
  return [...pieces, line.slice(end)];
}

/** The first and last index of the docstring's lines, or null. */
function docstring(source) {
  const first = source.findIndex((line) => /^\s*[rR]?("""|''')/.test(line));
  if (first < 0) return null;
  const quotes = source[first].includes('"""') ? '"""' : "'''";
  if (source[first].split(quotes).length > 2) return [first, first];
  const last = source.findIndex((line, index) => index > first && line.includes(quotes));
  return last < 0 ? null : [first, last];
}

function sourceLine(text, number, inDocstring) {
  const code = inDocstring ? [h("span", { class: "wbp-text" }, text)] : coloured(text);
  return h(
    "div",
    { class: "wbp-line" },
    h("span", { class: "wbp-arrow", "aria-hidden": "true" }),
    h("span", { class: "wbp-line-number" }, String(number)),
    h("code", {}, ...code),
  );
}

/** Hides all but the first line of a long docstring behind a button. */
function fold(lines, [first, last]) {
  const rest = lines.slice(first + 1, last + 1);
  if (rest.length < 2) return;
  const button = h("button", { type: "button", class: "wbp-fold" });
  const set = (open) => {
    rest.forEach((line) => setHidden(line, !open));
    setAttribute(button, "aria-expanded", String(open));
    setText(button, open ? "hide the documentation" : `⋯ ${rest.length} more lines of documentation`);
  };
  button.addEventListener("click", () => set(rest[0].hidden));
  lines[first].after(button);
  set(false);
}

function listing({ name, first_line: firstLine = 1, source }) {
  const folded = docstring(source);
  const within = (index) => folded !== null && index >= folded[0] && index <= folded[1];
  const lines = source.map((text, index) => sourceLine(text, firstLine + index, within(index)));
  const el = h("div", { class: "wbp-listing", "data-function": name }, ...lines);
  if (folded !== null) fold(lines, folded);
  return { el, lines, length: source.length - (folded === null ? 0 : folded[1] - folded[0] - 1) };
}

/** Scrolls inside the box alone, and only when the node is out of its sight. */
function keepInSight(box, node) {
  const frame = box.getBoundingClientRect();
  const place = node.getBoundingClientRect();
  if (place.top >= frame.top + 4 && place.bottom <= frame.bottom - 4) return;
  box.scrollTop += (place.top + place.bottom - frame.top - frame.bottom) / 2;
}

function sourcePanel(functions) {
  const listings = new Map(functions.map((item) => [item.name, listing(item)]));
  const name = h("code", {});
  const box = h(
    "div",
    { class: "wbp-box wbp-source", tabindex: "0", role: "region", "aria-label": "Source" },
    ...[...listings.values()].map((item) => item.el),
  );
  const el = h("div", { class: "wbp-panel" }, h("h3", {}, "Source of ", name), box);
  let marked = null;
  function show(step) {
    for (const [key, item] of listings) setHidden(item.el, key !== step.function);
    setText(name, step.function);
    const line = listings.get(step.function)?.lines[step.line - 1] ?? null;
    if (marked !== line) setAttribute(marked ?? line, "aria-current", null);
    marked = line;
    if (line === null) return;
    setAttribute(line, "aria-current", "step");
    keepInSight(box, line);
  }
  return { el, show, length: Math.max(1, ...[...listings.values()].map((item) => item.length)) };
}

// --- Cells and variables -----------------------------------------------------------------------

/** Which cells of a long list are shown: its beginning, or the part around the first change. */
function shownPart(length, focus) {
  if (length <= CELLS_SHOWN || focus < CELLS_SHOWN) return [0, Math.min(length, CELLS_SHOWN)];
  const first = clamp(focus - CELLS_SHOWN / 2, 0, length - CELLS_SHOWN);
  return [first, first + CELLS_SHOWN];
}

function cell() {
  const label = h("span", { class: "wbp-cell-label" });
  const value = h("span", { class: "wbp-cell-value" });
  const mark = h("span", { class: "wbp-cell-mark" });
  const el = h("span", { class: "wbp-cell", role: "listitem" }, label, value, mark);
  function show(text, name, { changed = false, current = false } = {}) {
    setText(label, name);
    setText(value, text);
    setText(mark, [changed ? "● changed" : "", current ? "▲ now" : ""].join(" ").trim());
    setAttribute(el, "data-changed", changed);
    setAttribute(el, "data-current", current);
  }
  return { el, show };
}

/** A row of cells; long lists are shortened, with a count. */
function strip(nameOf = String, textOf = format) {
  const before = h("span", { class: "wbp-more" });
  const after = h("span", { class: "wbp-more" });
  const el = h("span", { class: "wbp-strip", role: "list" }, before, after);
  const pool = [];
  function show(values, changed, current = null) {
    const [first, last] = shownPart(values.length, current ?? Math.min(...changed, values.length));
    while (pool.length < last - first) {
      pool.push(cell());
      after.before(pool.at(-1).el);
    }
    pool.forEach((item, offset) => {
      const index = first + offset;
      setHidden(item.el, index >= last);
      if (index >= last) return;
      const state = { changed: changed.has(index), current: index === current };
      item.show(textOf(values[index]), nameOf(index), state);
    });
    setText(before, first > 0 ? `${first} before …` : "");
    const rest = values.length - last;
    const cut = rest > 0 || first > 0;
    setText(after, cut ? `… ${rest} more, ${values.length} in all` : values.length ? "" : "empty");
  }
  return { el, show };
}

/** Changed cells of one row: of a list its indices; of a table whole rows or [row, column]. */
function changedCells(changed, row, columns, isTable) {
  if (!Array.isArray(changed)) return new Set();
  if (!isTable) return new Set(changed);
  if (changed.includes(row)) return new Set(Array(columns).keys());
  return new Set(changed.filter((item) => item[0] === row).map((item) => item[1]));
}

function valueView(el) {
  const text = h("span", { class: "wbp-scalar" });
  const more = h("span", { class: "wbp-more" });
  const strips = [];
  el.append(text, more);
  function showList(value, changed) {
    const isTable = Array.isArray(value[0]);
    const rows = isTable ? value.slice(0, ROWS_SHOWN) : [value];
    while (strips.length < rows.length) {
      strips.push(strip());
      more.before(strips.at(-1).el);
    }
    strips.forEach((item, row) => {
      setHidden(item.el, row >= rows.length);
      if (row < rows.length) item.show(rows[row], changedCells(changed, row, rows[row].length, isTable));
    });
    const cut = isTable && value.length > ROWS_SHOWN;
    setText(more, cut ? `… ${value.length - ROWS_SHOWN} more rows, ${value.length} in all` : "");
  }
  function show(value, changed) {
    const isList = Array.isArray(value);
    setHidden(text, isList);
    if (isList) return showList(value, changed);
    strips.forEach((item) => setHidden(item.el, true));
    setText(more, "");
    return setText(text, format(value));
  }
  return { show };
}

const isChanged = (variable) =>
  Array.isArray(variable.changed) ? variable.changed.length > 0 : Boolean(variable.changed);

function variableRow() {
  const mark = h("td", { class: "wbp-mark" }, h("span", { "aria-hidden": "true" }, "●"), spoken("changed"));
  const name = h("th", { scope: "row" });
  const value = h("td", { class: "wbp-value" });
  const view = valueView(value);
  const el = h("tr", {}, mark, name, value);
  function show(variable) {
    setHidden(el, variable === undefined);
    if (variable === undefined) return;
    setText(name, variable.name);
    view.show(variable.value, variable.changed);
    setAttribute(el, "data-changed", isChanged(variable));
  }
  return { el, show };
}

function variablesPanel() {
  const none = h("p", { class: "wbp-none" }, "No variable has a value yet.");
  const body = h("tbody", {});
  const head = h("thead", { class: "wbp-spoken" }, h(
    "tr", {}, ...["Changed", "Name", "Value"].map((text) => h("th", { scope: "col" }, text)),
  ));
  const box = h(
    "div",
    { class: "wbp-box wbp-variables", tabindex: "0", role: "region", "aria-label": "Variables" },
    h("table", {}, head, body),
    none,
  );
  const key = h("span", { class: "wbp-key" }, h("span", { class: "wbp-dot" }, "●"), " changed in this step");
  const el = h("div", { class: "wbp-panel" }, h("h3", {}, "Variables", key), box);
  const rows = [];
  function show({ variables = [] }) {
    while (rows.length < variables.length) {
      rows.push(variableRow());
      body.append(rows.at(-1).el);
    }
    rows.forEach((row, index) => row.show(variables[index]));
    setHidden(none, variables.length > 0);
    const changed = variables.findIndex(isChanged);
    if (changed >= 0) keepInSight(box, rows[changed].el);
  }
  return { el, show };
}

// --- Pictures ----------------------------------------------------------------------------------

const figure = (kind, heading, ...children) =>
  h("figure", { class: `wbp-panel wbp-picture wbp-${kind}` }, h("h3", {}, ...[heading ?? ""].flat()), ...children);

function cellsPicture({ title, labels = [], states = [] }) {
  const textOf = (value) => (value === null ? "" : format(value));
  const row = strip((index) => labels[index] ?? String(index), textOf);
  const texts = states.flatMap((state) => (state?.cells ?? []).map((value) => textOf(value).length));
  const widest = texts.reduce((most, length) => Math.max(most, length), 3);
  row.el.style.setProperty("--wbp-characters", Math.min(widest, 24));
  function show(index) {
    const { cells = [], changed = [], current = null } = states[index] ?? {};
    row.show(cells, new Set(changed ?? []), current);
  }
  return { el: figure("cells", title, row.el), show };
}

/** From the first event to the last, and a little further where a window goes on. */
function extentOf(events, windows) {
  const lowest = (places) => places.reduce((a, b) => Math.min(a, b), Infinity);
  const highest = (places) => places.reduce((a, b) => Math.max(a, b), -Infinity);
  if (events.length === 0) return [0, 1];
  const places = events.map((event) => event.at);
  const [low, high] = [lowest(places), highest(places)];
  const beyond = 0.12 * (high - low) || 1;
  return [
    Math.max(low - beyond, Math.min(low, lowest(windows.map((item) => item.from)))),
    Math.min(high + beyond, Math.max(high, highest(windows.map((item) => item.to)), low + beyond)),
  ];
}

/** Where the neighbourhood begins: around the window, but never without the current event. */
function startOf(at, window, span, low) {
  if (!window) return at === undefined ? low : at - span / 2;
  const start = (window.from + window.to - span) / 2;
  if (at === undefined || (at >= start && at <= start + span)) return start;
  return at - (at < start ? 0.1 : 0.9) * span;
}

/** The part of the axis that is drawn: all of it, or, when the window is narrow, its neighbourhood. */
function viewOf({ events, states }) {
  const windows = states.map((state) => state?.window).filter(Boolean);
  const extent = extentOf(events, windows);
  const widest = windows.reduce((most, item) => Math.max(most, item.to - item.from), 0);
  const span = 2.5 * widest;
  const zoomed = widest > 0 && span < 0.4 * (extent[1] - extent[0]);
  function domain({ window, current } = {}) {
    if (!zoomed) return extent;
    const from = clamp(startOf(events[current]?.at, window, span, extent[0]), extent[0], extent[1] - span);
    return [from, from + span];
  }
  return { extent, zoomed, domain };
}

function eventState(index, state, chain, skipped) {
  if (chain.has(index)) return "chain";
  if (skipped.has(index)) return "skipped";
  return index < (state.seen ?? Infinity) || index === state.current ? "seen" : "future";
}

const EVENT_MARKS = () => [
  s("circle", { class: "wbp-dot-mark", r: 5 }),
  s("path", { class: "wbp-cross-mark", d: "M-4.5,-4.5L4.5,4.5M-4.5,4.5L4.5,-4.5" }),
  s("circle", { class: "wbp-ring-mark", r: 10 }),
];

const LEGEND = [
  ["current", "now"],
  ["chain", "counts so far"],
  ["skipped", "did not count"],
  ["seen", "seen"],
  ["future", "still to come"],
];

/** What the marks mean; a picture can have words of its own, and null for a mark it has not. */
function legend(words) {
  const known = LEGEND.filter(([state]) => words?.[state] !== null);
  const items = known.map(([state, usual]) => {
    const text = words?.[state] ?? usual;
    const attributes = { class: "wbp-event", transform: "translate(11,11)", "data-state": state };
    if (state === "current") attributes["data-current"] = "true";
    const mark = s("svg", { width: 22, height: 22, "aria-hidden": "true" }, s("g", attributes, ...EVENT_MARKS()));
    return h("span", {}, mark, text);
  });
  return h("span", { class: "wbp-legend", "aria-hidden": "true" }, ...items);
}

function timelineGeometry(width, lanes, hasOthers, zoomed) {
  const names = [...lanes, ...(hasOthers ? ["other events"] : [])];
  const longest = Math.max(4, ...names.map((name) => name.length));
  const left = Math.min(longest * 7.4 + 22, width * 0.34);
  const row = lanes.length > 8 ? 22 : 32;
  const top = 50;
  const axis = top + names.length * row + (hasOthers ? 14 : 4);
  return { names, left, right: width - 18, row, top, axis, width, height: axis + (zoomed ? 62 : 28) };
}

/** Labels from left to right, each only where it does not run into the one before. */
function withoutOverlap(items, widthOf, right) {
  let end = -Infinity;
  return items.filter(({ x, text }) => {
    const half = widthOf(text) / 2;
    if (x - half < end + 8 || x + half > right + 16) return false;
    end = x + half;
    return true;
  });
}

function timelinePicture({ title, lanes = [], events = [], ticks = [], states = [], legend: words }) {
  const view = viewOf({ events, states });
  const hasOthers = events.some((event) => (event.lane ?? null) === null);
  const svg = s("svg", { role: "img" });
  let parts = null;
  let shown = 0;
  let drawnDomain = null;

  function layout(width) {
    const g = timelineGeometry(width, lanes, hasOthers, view.zoomed);
    setAttribute(svg, "width", g.width);
    setAttribute(svg, "height", g.height);
    parts = timelineParts(g, events, view);
    svg.replaceChildren(...parts.layers);
    drawnDomain = null;
    show(shown);
  }

  function place(domain, g) {
    const x = (at) => g.left + 14 + ((at - domain[0]) / (domain[1] - domain[0])) * (g.right - g.left - 28);
    if (drawnDomain?.[0] !== domain[0] || drawnDomain?.[1] !== domain[1]) placeEvents(parts, g, x, events, ticks);
    drawnDomain = domain;
    return x;
  }

  function show(index) {
    shown = index;
    if (parts === null) return;
    const state = states[index] ?? {};
    const domain = view.domain(state);
    const x = place(domain, parts.g);
    const chain = new Set(state.chain ?? []);
    const skipped = new Set(state.skipped ?? []);
    parts.events.forEach((mark, number) => {
      setAttribute(mark, "data-state", eventState(number, state, chain, skipped));
      setAttribute(mark, "data-current", number === state.current);
    });
    // Drawn last, and so never under a neighbour.
    for (const number of [...chain, state.current]) parts.events[number]?.parentNode.append(parts.events[number]);
    showWindow(parts, x, state.window);
    showChain(parts, x, events, state.chain ?? []);
    showCurrent(parts, x, events[state.current], parts.g);
    showOverview(parts, view, domain);
    setAttribute(svg, "aria-label", describeTimeline(title, events, state, words?.chain));
  }
  return { el: figure("timeline", [title ?? "", legend(words)], svg), show, layout, svg };
}

function rowOf(event, g) {
  const lane = event.lane ?? g.names.length - 1;
  return g.top + lane * g.row + g.row / 2;
}

function timelineParts(g, events, view) {
  const rows = g.names.flatMap((name, lane) => {
    const y = g.top + lane * g.row + g.row / 2;
    const label = shorten(name, Math.floor((g.left - 16) / 7));
    return [
      s("line", { class: "wbp-lane", x1: g.left, x2: g.right, y1: y, y2: y }),
      s("text", { class: "wbp-lane-name", x: g.left - 12, y: y + 4.5 }, label, s("title", {}, name)),
    ];
  });
  const marks = events.map((event, index) => s(
    "g", { class: "wbp-event", "data-event": index, "data-other": (event.lane ?? null) === null },
    ...EVENT_MARKS(), s("title", {}, event.text ?? event.label ?? ""),
  ));
  const parts = {
    g,
    events: marks,
    band: s("rect", { class: "wbp-band", y: g.top - 10, height: g.axis - g.top + 10 }),
    bandEdges: s("path", { class: "wbp-band-edges" }),
    bandLabel: s("text", { class: "wbp-band-label", y: g.top - 15 }),
    chain: s("polyline", { class: "wbp-chain" }),
    needle: s("line", { class: "wbp-needle", y1: 18, y2: g.axis }),
    now: s("text", { class: "wbp-now", y: 13 }),
    ticks: s("g", { class: "wbp-ticks" }),
    names: s("g", { class: "wbp-names" }),
    overview: view.zoomed ? overview(g, events, view.extent) : null,
  };
  const axis = s("line", { class: "wbp-axis", x1: g.left, x2: g.right, y1: g.axis, y2: g.axis });
  parts.layers = [parts.band, ...rows, parts.bandEdges, parts.bandLabel, axis, parts.ticks, parts.needle,
    parts.chain, parts.names, s("g", {}, ...marks), parts.now, parts.overview?.el].filter(Boolean);
  return parts;
}

function placeEvents(parts, g, x, events, ticks) {
  const inside = (at) => x(at) >= g.left && x(at) <= g.right;
  parts.events.forEach((mark, index) => {
    setAttribute(mark, "display", inside(events[index].at) ? null : "none");
    setAttribute(mark, "transform", `translate(${x(events[index].at).toFixed(1)},${rowOf(events[index], g)})`);
  });
  const places = ticks.filter((tick) => inside(tick.at)).map((tick) => ({ x: x(tick.at), text: tick.label }));
  const labelled = withoutOverlap(places, (text) => text.length * 7, g.right);
  parts.ticks.replaceChildren(...labelled.flatMap((tick) => [
    s("line", { x1: tick.x, x2: tick.x, y1: g.axis, y2: g.axis + 5 }),
    s("text", { x: tick.x, y: g.axis + 19 }, tick.text),
  ]));
  const others = events.filter((event) => (event.lane ?? null) === null && inside(event.at));
  const named = withoutOverlap(
    others.map((event) => ({ x: x(event.at), text: event.label ?? "", event })), (text) => text.length * 6.2, g.right,
  );
  const crowded = named.length < others.length;
  parts.names.replaceChildren(...(crowded ? [] : named).map((item) =>
    s("text", { x: item.x, y: rowOf(item.event, g) + 19 }, item.text)));
}

function showWindow({ band, bandEdges, bandLabel, g }, x, window) {
  for (const node of [band, bandEdges, bandLabel]) setAttribute(node, "display", window ? null : "none");
  if (!window) return;
  const [from, to] = [clamp(x(window.from), g.left, g.right), clamp(x(window.to), g.left, g.right)];
  setAttribute(band, "x", from.toFixed(1));
  setAttribute(band, "width", Math.max(to - from, 1).toFixed(1));
  const [top, bottom] = [g.top - 10, g.axis];
  // An end that is out of the picture stays open.
  const [start, end] = [from === x(window.from) ? `V${top}` : `M${from},${top}`, to === x(window.to) ? `V${bottom}` : ""];
  setAttribute(bandEdges, "d", `M${from},${bottom}${start}H${to}${end}`);
  setText(bandLabel, window.label ?? "window");
  const wide = bandLabel.textContent.length * 7;
  setAttribute(bandLabel, "x", clamp(from + 4, g.left, Math.max(g.left, g.right - wide)).toFixed(1));
}

function showChain({ chain, g }, x, events, indices) {
  const points = indices.filter((index) => events[index])
    .map((index) => `${x(events[index].at).toFixed(1)},${rowOf(events[index], g)}`);
  setAttribute(chain, "points", points.join(" "));
}

function showCurrent({ needle, now }, x, event, g) {
  for (const node of [needle, now]) setAttribute(node, "display", event ? null : "none");
  if (!event) return;
  const place = x(event.at);
  setAttribute(needle, "x1", place.toFixed(1));
  setAttribute(needle, "x2", place.toFixed(1));
  setText(now, event.text ?? event.label ?? "");
  const half = now.textContent.length * 3.8;
  setAttribute(now, "x", clamp(place, half + 2, Math.max(half + 2, g.width - half - 2)).toFixed(1));
}

function overview(g, events, extent) {
  const x = (at) => g.left + ((at - extent[0]) / (extent[1] - extent[0])) * (g.right - g.left);
  const y = g.axis + 44;
  const marks = events.map((event) => `M${x(event.at).toFixed(1)},${y - 5}v10`).join("");
  const lens = s("rect", { class: "wbp-lens", y: y - 9, height: 18, rx: 3 });
  const el = s(
    "g", {},
    s("line", { class: "wbp-lane", x1: g.left, x2: g.right, y1: y, y2: y }),
    s("path", { class: "wbp-overview", d: marks }),
    lens,
    s("text", { class: "wbp-lane-name", x: g.left - 12, y: y + 4.5 }, shorten("all events", Math.floor((g.left - 16) / 7))),
  );
  return { el, x, lens };
}

function showOverview(parts, view, domain) {
  if (parts.overview === null) return;
  const { x, lens } = parts.overview;
  setAttribute(lens, "x", x(domain[0]).toFixed(1));
  setAttribute(lens, "width", Math.max(4, x(domain[1]) - x(domain[0])).toFixed(1));
}

function describeTimeline(title, events, { current, window, chain = [] }, counts) {
  const text = (index) => events[index]?.text ?? events[index]?.label ?? "";
  return [
    title ?? "Timeline",
    events[current] ? `now ${text(current)}` : null,
    window ? window.label ?? "a window is open" : null,
    chain?.length ? `${counts ?? "counts so far"}: ${chain.map(text).join(", ")}` : null,
  ].filter(Boolean).join("; ");
}

const TREE_ROW = 50;
const TREE_BOX = 38;

function treeGeometry({ nodes = [], levels = [], states = [] }, width) {
  const low = nodes.reduce((least, node) => Math.min(least, node.from), Infinity);
  const high = nodes.reduce((most, node) => Math.max(most, node.to), -Infinity);
  const depth = nodes.reduce((most, node) => Math.max(most, node.depth), 0);
  const left = levels.length && width >= 520 ? 58 : 4;
  const has = (name) => states.some((state) => (state?.[name] ?? null) !== null);
  const top = has("frames") ? 24 : 2;
  const bottom = top + (depth + 1) * TREE_ROW - (TREE_ROW - TREE_BOX);
  const x = (place) => left + ((place - low) / (high - low)) * (width - left - 4);
  return { x, left, top, bottom, width, height: bottom + (has("here") ? 28 : 6) };
}

function treeNode(node, g) {
  const [from, wide] = [g.x(node.from) + 3, Math.max(2, g.x(node.to) - g.x(node.from) - 6)];
  const y = g.top + node.depth * TREE_ROW;
  const text = s("text", { class: "wbp-node-value", x: from + wide / 2, y: y + 30 });
  const name = node.label ?? `[${node.from}, ${node.to})`;
  const shortened = name.length * 6.2 < wide ? name : "";
  const range = s("text", { class: "wbp-node-range", x: from + wide / 2, y: y + 13 }, shortened);
  const tip = s("title", {});
  const box = s("rect", { x: from, y, width: wide, height: TREE_BOX, rx: 3 });
  return { node, name, wide, text, box, tip, el: s("g", { class: "wbp-node" }, box, range, text, tip) };
}

/** A name for each shape and outline that a node can have. */
function treeLegend({ now, lit, empty }) {
  const items = [["data-current", "▶", now], ["data-lit", "●", lit], ["data-empty", "", empty]];
  const mark = (name, sign) => s(
    "svg", { width: 28, height: 22, "aria-hidden": "true" },
    s("g", { class: "wbp-node", [name]: "true" },
      s("rect", { x: 3, y: 4, width: 22, height: 14, rx: name === "data-lit" ? 7 : 2 }),
      s("text", { class: "wbp-node-range", x: 14, y: 15 }, sign)),
  );
  const drawn = items.filter(([, , text]) => text).map(([name, sign, text]) => h("span", {}, mark(name, sign), text));
  return h("span", { class: "wbp-legend", "aria-hidden": "true" }, ...drawn);
}

function showFrames(layer, g, { frames = [], label = "", here = null }) {
  const edge = g.top - 6;
  const bands = frames.flatMap(({ from, to }) => [
    s("rect", { class: "wbp-band", x: g.x(from), y: edge, width: g.x(to) - g.x(from), height: g.bottom + 4 - edge }),
    s("path", { class: "wbp-band-edges", d: `M${g.x(from)},${g.bottom + 4}V${edge}H${g.x(to)}V${g.bottom + 4}` }),
  ]);
  const start = frames.length ? g.x(frames[0].from) + 4 : g.left;
  const place = clamp(start, g.left, Math.max(g.left, g.width - label.length * 6.8));
  const marker = here === null ? [] : [s("text", { class: "wbp-here", x: g.x(here + 0.5), y: g.bottom + 20 }, `▲ row ${here}`)];
  layer.replaceChildren(...bands, s("text", { class: "wbp-band-label", x: place, y: g.top - 11 }, label), ...marker);
}

function showNode({ node, name, wide, text, box, tip, el }, { values = {}, current = null }, bright) {
  const written = node.id in values;
  const value = written ? format(values[node.id]) : "";
  const mark = node.id === current ? "▶ " : bright.has(node.id) ? "● " : "";
  setText(text, (mark + value).length * 7.8 < wide ? mark + value : wide > 9 ? mark.trim() : "");
  setText(tip, `${name}: ${value || "not yet written"}`);
  setAttribute(box, "rx", bright.has(node.id) ? TREE_BOX / 2 : 3);
  setAttribute(el, "data-lit", bright.has(node.id));
  setAttribute(el, "data-current", node.id === current);
  setAttribute(el, "data-empty", !written);
}

function treePicture(picture) {
  const { title, nodes = [], levels = [], states = [], legend: words = {} } = picture;
  const svg = s("svg", { role: "img" });
  const layer = s("g", {});
  let parts = [];
  let g = null;
  let shown = 0;
  function layout(width) {
    g = treeGeometry(picture, width);
    setAttribute(svg, "width", width);
    setAttribute(svg, "height", g.height);
    parts = nodes.map((node) => treeNode(node, g));
    const names = g.left < 50 ? [] : levels.map((name, depth) =>
      s("text", { class: "wbp-lane-name", x: g.left - 8, y: g.top + depth * TREE_ROW + 24 }, name));
    svg.replaceChildren(layer, ...names, ...parts.map((part) => part.el));
    show(shown);
  }
  function show(index) {
    shown = index;
    if (g === null) return;
    const state = states[index] ?? {};
    const bright = new Set(state.lit ?? []);
    showFrames(layer, g, state);
    parts.forEach((part) => showNode(part, state, bright));
    setAttribute(svg, "aria-label", describeTree(title, nodes, state));
  }
  return { el: figure("tree", [title ?? "", treeLegend(words)], svg), show, layout, svg };
}

function describeTree(title, nodes, { values = {}, lit = [], current = null, label = "" }) {
  const labels = new Map(nodes.map((node) => [node.id, node.label ?? node.id]));
  const name = (id) => `${labels.get(id)}${id in values ? ` = ${format(values[id])}` : ""}`;
  return [
    title ?? "Tree",
    label || null,
    current === null ? null : `now ${name(current)}`,
    lit?.length ? `marked: ${lit.map(name).join(", ")}` : null,
  ].filter(Boolean).join("; ");
}

const PICTURES = { timeline: timelinePicture, cells: cellsPicture, tree: treePicture };

// --- Controls ----------------------------------------------------------------------------------

const ICONS = {
  First: "M4,3h2.5v14H4zM17,3v14L7.5,10z",
  Back: "M14,3v14L4.5,10z",
  Play: "M5,3v14L16,10z",
  Pause: "M5,3h3.5v14H5zM11.5,3H15v14h-3.5z",
  Forward: "M6,3v14L15.5,10z",
  Last: "M3,3v14L12.5,10zM13.5,3H16v14h-2.5z",
};

function controlButton(name, keys, act) {
  const icon = s("path", { d: ICONS[name] });
  const label = h("span", { class: "wbp-label" }, name);
  const el = h(
    "button",
    { type: "button", class: `wbp-button wbp-${name.toLowerCase()}`, title: `${name} (${keys})` },
    s("svg", { viewBox: "0 0 20 20", width: 16, height: 16, "aria-hidden": "true" }, icon),
    label,
  );
  el.addEventListener("click", act);
  function rename(text) {
    setText(label, text);
    setAttribute(icon, "d", ICONS[text]);
    setAttribute(el, "title", `${text} (${keys})`);
  }
  return { el, rename };
}

function speedChoice() {
  const options = SPEEDS.map(([rate, text]) => h("option", { value: rate, selected: rate === 1 && "selected" }, text));
  const select = h("select", {}, ...options);
  return { el: h("label", { class: "wbp-speed" }, "Speed ", select), rate: () => Number(select.value) };
}

function controls(count, player) {
  const buttons = {
    first: controlButton("First", "Home", () => player.go(0)),
    back: controlButton("Back", "←", () => player.go(player.step() - 1)),
    play: controlButton("Play", "Space", () => player.toggle()),
    forward: controlButton("Forward", "→", () => player.go(player.step() + 1)),
    last: controlButton("Last", "End", () => player.go(count - 1)),
  };
  const scrub = h("input", { type: "range", class: "wbp-scrub", min: 1, max: count, step: 1, "aria-label": "Step" });
  scrub.addEventListener("input", () => player.go(scrub.valueAsNumber - 1));
  const position = h("span", { class: "wbp-position" });
  position.style.minWidth = `${`Step ${count} of ${count}`.length * 0.56}em`;
  const el = h(
    "div",
    { class: "wbp-controls" },
    h("div", { class: "wbp-buttons" }, ...Object.values(buttons).map((button) => button.el)),
    scrub, position, player.speed.el,
  );
  // aria-disabled instead of disabled: a disabled button would drop the focus, and the keys with it.
  function show(index) {
    for (const name of ["first", "back"]) setAttribute(buttons[name].el, "aria-disabled", index === 0);
    for (const name of ["forward", "last"]) setAttribute(buttons[name].el, "aria-disabled", index === count - 1);
    scrub.value = index + 1;
    scrub.style.setProperty("--wbp-done", count > 1 ? index / (count - 1) : 1);
    setAttribute(scrub, "aria-valuetext", `Step ${index + 1} of ${count}`);
    setText(position, `Step ${index + 1} of ${count}`);
  }
  return { el, show, playing: (now) => buttons.play.rename(now ? "Pause" : "Play") };
}

function listenToKeys(root, player, count) {
  const acts = {
    ArrowLeft: () => player.go(player.step() - 1),
    ArrowRight: () => player.go(player.step() + 1),
    Home: () => player.go(0),
    End: () => player.go(count - 1),
    " ": () => player.toggle(),
  };
  root.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in acts)) return;
    if (event.target.tagName === "SELECT") return;
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    event.preventDefault();
    acts[event.key]();
  });
}

// --- The player --------------------------------------------------------------------------------

function captionPanel(count, result) {
  const text = h("p", { class: "wbp-caption", "aria-live": "polite" });
  const end = h("p", { class: "wbp-result" }, "Result: ", h("strong", {}, result ?? ""));
  const el = h("div", { class: "wbp-caption-box" }, text, end);
  function show(step, index) {
    setText(text, step.caption);
    setHidden(end, index !== count - 1 || !result);
  }
  return { el, show };
}

/** The step, kept in the model so that every view and the kernel see it, and the clock that plays. */
function stepper(model, count, onPlaying) {
  const speed = speedChoice();
  let timer = null;
  let own = false;
  const step = () => clamp(model.get("step") ?? 0, 0, count - 1);
  function set(index) {
    own = true;
    model.set("step", clamp(index, 0, count - 1));
    model.save_changes();
    own = false;
  }
  function pause() {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    onPlaying(false);
  }
  function tick() {
    set(step() + 1);
    if (step() === count - 1) pause();
    else timer = setTimeout(tick, MILLISECONDS_A_STEP / speed.rate());
  }
  function play() {
    if (step() === count - 1) set(0);
    timer = setTimeout(tick, MILLISECONDS_A_STEP / speed.rate());
    onPlaying(true);
  }
  const go = (index) => { pause(); set(index); };
  const toggle = () => (timer === null ? play() : pause());
  // Someone else moved the step: another view, or the kernel. This view does not pull it back.
  const moved = () => { if (!own) pause(); };
  return { speed, step, go, toggle, pause, moved };
}

const header = ({ title, intro }) =>
  h("header", {}, h("h2", {}, title), intro ? h("p", { class: "wbp-intro" }, intro) : null);

function frame(lesson, children) {
  const attributes = {
    class: "wbp", tabindex: "0", role: "group", "aria-label": `Step player: ${lesson.title}`,
    "data-lm-suppress-shortcuts": "true",
  };
  return h("section", attributes, header(lesson), ...children);
}

function mountEmpty(lesson, el) {
  const sentence = "There is nothing to step through: this lesson has no steps.";
  const root = frame(lesson, [h("p", { class: "wbp-none" }, sentence)]);
  el.append(root);
  return () => root.remove();
}

/** Lays a panel out when it has a width, and again when its width changes. */
function watchWidth(panels) {
  const drawn = new Map();
  const observer = new ResizeObserver(() => {
    for (const panel of panels) {
      const width = Math.floor(panel.el.clientWidth);
      if (width < 60 || drawn.get(panel) === width) continue;
      drawn.set(panel, width);
      panel.layout(width);
    }
  });
  panels.forEach((panel) => observer.observe(panel.el));
  return () => observer.disconnect();
}

function mount(model, el) {
  const lesson = model.get("lesson");
  const count = lesson.steps?.length ?? 0;
  if (count === 0) return mountEmpty(lesson, el);
  const player = stepper(model, count, (now) => bar.playing(now));
  const bar = controls(count, player);
  const caption = captionPanel(count, lesson.result);
  const source = sourcePanel(lesson.functions ?? []);
  const variables = variablesPanel();
  const pictures = (lesson.pictures ?? []).filter((item) => item.kind in PICTURES)
    .map((item) => PICTURES[item.kind](item));
  const columns = h("div", { class: "wbp-columns" }, source.el, variables.el);
  columns.style.setProperty("--wbp-lines", clamp(source.length, 11, SOURCE_LINES_SHOWN));
  const hint = h("p", { class: "wbp-hint" }, "Keys: ← → one step, Home and End, Space plays and pauses.");
  const root = frame(lesson, [bar.el, caption.el, h("div", { class: "wbp-pictures" }, ...pictures.map((item) => item.el)), columns, hint]);
  function show() {
    const index = player.step();
    const step = lesson.steps[index];
    bar.show(index);
    caption.show(step, index);
    pictures.forEach((picture) => picture.show(index));
    source.show(step);
    variables.show(step);
    root.dataset.step = index;
  }
  const onStep = () => { player.moved(); show(); };
  listenToKeys(root, player, count);
  model.on("change:step", onStep);
  el.append(root);
  show();
  // Only a laid out page can scroll its current line into sight, hence the columns.
  const unwatch = watchWidth([...pictures.filter((picture) => picture.layout), { el: columns, layout: show }]);
  return () => {
    player.pause();
    model.off("change:step", onStep);
    unwatch();
    root.remove();
  };
}

function render({ model, el }) {
  let unmount = mount(model, el);
  const again = () => { unmount(); unmount = mount(model, el); };
  model.on("change:lesson", again);
  return () => {
    model.off("change:lesson", again);
    unmount();
  };
}

export default { render };
