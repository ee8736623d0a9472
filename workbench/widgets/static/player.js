// The step player: one view of a lesson, a trace whose every step is complete in itself.
// Static parts are built once; a step only changes texts, classes and attributes.

const CELLS_SHOWN = 40;
const ROWS_SHOWN = 12;
const MILLISECONDS_A_STEP = 1200;
const SPEEDS = [[0.5, "½×"], [1, "1×"], [2, "2×"], [4, "4×"], [8, "8×"]];
const SOURCE_LINES_SHOWN = 12;
const SOURCE_LINES_BESIDE = 6;
const CHANGES_SHOWN = 4;
const LETTERS_SHOWN = 44;

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

/** Scrolls inside the box alone, and only when the node is out of its sight; of a high one its top is. */
function keepInSight(box, node) {
  const frame = box.getBoundingClientRect();
  const place = node.getBoundingClientRect();
  if (place.top >= frame.top + 4 && place.bottom <= frame.bottom - 4) return;
  if (place.height > frame.height) box.scrollTop += place.top - frame.top;
  else box.scrollTop += (place.top + place.bottom - frame.top - frame.bottom) / 2;
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
  const el = h("span", { class: "wbp-cell", role: "listitem" }, label, value);
  function show(text, name, changed) {
    setText(label, name);
    setText(value, text);
    setAttribute(el, "data-changed", changed);
  }
  return { el, show };
}

/** A row of cells; long lists are shortened, with a count. */
function strip() {
  const before = h("span", { class: "wbp-more" });
  const after = h("span", { class: "wbp-more" });
  const el = h("span", { class: "wbp-strip", role: "list" }, before, after);
  const pool = [];
  function show(values, changed) {
    const [first, last] = shownPart(values.length, changed.size ? Math.min(...changed) : 0);
    while (pool.length < last - first) {
      pool.push(cell());
      after.before(pool.at(-1).el);
    }
    pool.forEach((item, offset) => {
      const index = first + offset;
      setHidden(item.el, index >= last);
      if (index < last) item.show(format(values[index]), String(index), changed.has(index));
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
    // A long name is parted behind an underscore, and copied as it is.
    if (name.textContent !== variable.name) {
      name.replaceChildren(...variable.name.split(/(?<=_)/).flatMap((part) => [part, h("wbr", {})]));
    }
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
    if (changed < 0) return;
    const row = rows[changed].el;
    keepInSight(box, row.offsetHeight > box.clientHeight ? row.querySelector("[data-changed]") ?? row : row);
  }
  return { el, show };
}

// --- Pictures ----------------------------------------------------------------------------------

/** Scrolls a picture that is wider than its box, so that what is looked at is in sight. */
function keepAcross(box, node) {
  if (node === null || box.scrollWidth <= box.clientWidth) return;
  const frame = box.getBoundingClientRect();
  const place = node.getBoundingClientRect();
  if (place.left >= frame.left && place.right <= frame.right) return;
  box.scrollLeft += (place.left + place.right - frame.left - frame.right) / 2;
}

const element = ([tag, attributes, ...children]) =>
  s(tag, attributes, ...children.map((child) => (typeof child === "string" ? child : element(child))));

/** A picture that Python has drawn: its elements, and from which step on they look how. */
function picture({ kind, title, drawn, parts, looks }) {
  const el = h("figure", { class: `wbp-panel wbp-picture wbp-${kind}` }, h("h3", {}, title), element(drawn));
  const moving = parts.map((changes, part) => ({ node: el.querySelector(`[data-part="${part}"]`), changes }));
  function show(index) {
    for (const part of moving) {
      const [, number] = part.changes.findLast(([step]) => step <= index);
      if (number === part.number) continue;
      part.number = number;
      const { text, ...attributes } = looks[number];
      for (const [name, value] of Object.entries(attributes)) setAttribute(part.node, name, value);
      if (text !== undefined) setText(part.node, text);
    }
    // Drawn last, and so never under a neighbour.
    for (const { parentNode: mark } of el.querySelectorAll('[data-state="chain"]')) mark.parentNode.append(mark);
    keepAcross(el, el.querySelector(".wbp-ring:not([display]), [data-current]"));
  }
  return { el, show };
}

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

function controls(count, player, ...modes) {
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
    scrub, position, player.speed.el, ...modes,
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

function listenToKeys(root, player, count, answer, letters) {
  const acts = {
    ...letters,
    ArrowLeft: () => player.go(player.step() - 1),
    ArrowRight: () => player.go(player.step() + 1),
    Home: () => player.go(0),
    End: () => player.go(count - 1),
    " ": () => player.toggle(),
  };
  root.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!event.target.closest("input, .wbp-edit") && /^\d$/.test(event.key) && answer(Number(event.key) - 1)) return;
    if (!(event.key in acts)) return;
    if (event.target.closest("select, .wbp-edit")) return;
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    event.preventDefault();
    acts[event.key]();
  });
}

// --- Predict, then reveal ------------------------------------------------------------------------

/** A button that turns a mode of the player on and off. */
function modeButton(model, mode, label, title) {
  const el = h("button", { type: "button", class: `wbp-button wbp-mode wbp-${mode}-mode`, title }, label);
  const on = () => model.get("mode") === mode;
  el.addEventListener("click", () => {
    model.set("mode", on() ? "watch" : mode);
    model.save_changes();
  });
  return { el, on, show: () => setAttribute(el, "aria-pressed", String(on())) };
}

const SHOWN = -1;

/** What is said of an answer: nothing while there is none. */
function verdictOf({ choices, right }, said) {
  if (said === undefined) return "";
  if (said === SHOWN) return `Shown: ${choices[right]}`;
  return said === right ? "✓ Right." : `✕ No: ${choices[right]}`;
}

/** Before a step its question, behind it whether the answer was right; a lecture shows no step that is not answered. */
function predicting(model, questions, go) {
  const predict = modeButton(model, "predict", "Predict", "Say what the next step will do before you see it");
  const lecture = modeButton(model, "lecture", "Lecture", "Large, for an audience: no step is shown before its question is answered");
  const verdict = h("p", { class: "wbp-verdict", role: "status" });
  const ask = h("p", { class: "wbp-ask" });
  const choices = h("div", { class: "wbp-choices" });
  const score = h("p", { class: "wbp-score" });
  const el = h("div", { class: "wbp-predict", role: "group", "aria-label": "Prediction" }, verdict, ask, choices, score);
  const on = () => predict.on() || lecture.on();
  const answers = () => model.get("answers") ?? {};
  const isOpen = (index) => Boolean(questions[index]) && answers()[index] === undefined;
  const openBehind = (index) => questions.findIndex((_, step) => step > index && isOpen(step));
  const halts = (index) => on() && isOpen(index + 1);
  /** The last step that may be shown from a step on. */
  const limit = (index) => (lecture.on() && openBehind(index) > 0 ? openBehind(index) - 1 : questions.length - 1);
  let now = 0;
  function answer(number) {
    const next = questions[now + 1];
    const isOne = next?.choices[number] !== undefined || (lecture.on() && number === SHOWN);
    if (!on() || !isOpen(now + 1) || !isOne) return false;
    model.set("answers", { ...answers(), [now + 1]: number });
    go(now + 1);
    return true;
  }
  function goToNext() {
    if (!on() || openBehind(now) < 0) return;
    go(openBehind(now) - 1);
  }
  function again() {
    model.set("answers", {});
    go(0);
  }
  function choice(text, number, next) {
    const said = answers()[now + 1];
    const mark = said === undefined ? `${number + 1}` : number === next.right ? "✓" : number === said ? "✕" : "";
    const button = h("button", { type: "button", class: "wbp-button wbp-choice" }, h("b", {}, mark), ` ${text}`);
    if (said === undefined) button.addEventListener("click", () => answer(number));
    else setAttribute(button, "aria-disabled", "true");
    return button;
  }
  function act(key, text, does) {
    const button = h("button", { type: "button", class: "wbp-button wbp-act" }, key && h("b", {}, key), ` ${text}`);
    button.addEventListener("click", does);
    return button;
  }
  /** What can be done beside choosing. */
  function acts(given) {
    if (isOpen(now + 1)) return lecture.on() ? [act("0", "Show it", () => answer(SHOWN))] : [];
    if (openBehind(now) > 0) return [act("N", "Next question", goToNext)];
    return given ? [act("", "Once more", again)] : [];
  }
  function show(index) {
    now = index;
    predict.show();
    lecture.show();
    setHidden(el, !on());
    if (!on()) return;
    const given = Object.entries(answers()).filter(([step]) => questions[step]);
    const right = given.filter(([step, number]) => questions[step].right === number).length;
    const [last, next] = [questions[index], questions[index + 1]];
    const said = last ? answers()[index] : undefined;
    setText(verdict, last ? verdictOf(last, said) : "");
    setAttribute(verdict, "data-right", said === undefined || said === SHOWN ? null : String(said === last.right));
    const isLast = index >= questions.length - 1;
    const ended = given.length > 0 && openBehind(index) < 0 && (isLast || !next);
    const rest = isLast ? "That was the last step." : "There is no question about the next step; continue.";
    setText(ask, next ? next.ask : ended ? `The end: ${right} of ${given.length} right.` : rest);
    setAttribute(ask, "data-ended", ended && !next);
    // A button that has done its work is gone: the keys stay with the player.
    const held = choices.contains(el.ownerDocument.activeElement);
    choices.replaceChildren(...(next ? next.choices.map((text, number) => choice(text, number, next)) : []), ...acts(given.length));
    if (held) el.closest(".wbp")?.focus({ preventScroll: true });
    setText(score, `${right} of ${given.length} right`);
  }
  return { el, buttons: [predict.el, lecture.el], lecture, show, halts, limit, answer, goToNext };
}

/** The button that fills the screen, of a lecture alone; a page that may not fill it stays as large as it is. */
function fullScreen(root, lecture) {
  const el = h("button", { type: "button", class: "wbp-button wbp-full", title: "Full screen (F)" }, "Full screen");
  const isFull = () => root().ownerDocument.fullscreenElement === root();
  const enter = () => root().requestFullscreen?.().catch(() => {});
  const toggle = () => (isFull() ? root().ownerDocument.exitFullscreen() : lecture.on() && enter());
  el.addEventListener("click", toggle);
  lecture.el.addEventListener("click", () => lecture.on() !== isFull() && toggle());
  return { el, toggle, show: () => setHidden(el, !lecture.on()) };
}

// --- Edit the input --------------------------------------------------------------------------------

const NEEDS_A_KERNEL = "To compute another run, the player needs a kernel: open it in a running notebook.";

/** The input as a table of fields; what is changed goes to the kernel, whose new run comes back. */
function editing(model, lesson, place) {
  const input = lesson.input ?? null;
  const mode = modeButton(model, "edit", "Edit", "Change the input, and step through the new run");
  setHidden(mode.el, input === null);
  const said = h("p", { class: "wbp-said-of-edit", role: "status" });
  const el = h("div", { class: "wbp-edit", role: "group", "aria-label": "Input" });
  if (input === null) return { el, button: mode.el, show: () => setHidden(el, true) };
  const alive = model.get("editable") && typeof model.send === "function";
  function send(rows) {
    setText(said, "The kernel computes …");
    model.send({ rows });
  }
  const changed = (row, column, value) =>
    input.rows.map((one, at) => (at === row ? one.map((old, k) => (k === column ? value : old)) : one));
  function field(row, column) {
    const { name, kind, options } = input.columns[column];
    const value = input.rows[row][column];
    const types = { time: { type: "text", size: 19 }, number: { type: "number", step: "any" } };
    const label = { "data-cell": `${row},${column}`, "aria-label": `${name} of row ${row}` };
    const node = options
      ? h("select", label, ...options.map((text) => h("option", { value: text, selected: text === value && "selected" }, text)))
      : h("input", { ...label, ...(types[kind] ?? { type: "text" }), value });
    node.addEventListener("change", () => send(changed(row, column, node.value)));
    return h("td", {}, node);
  }
  function row(values, at) {
    const drop = h("button", { type: "button", class: "wbp-button", "aria-label": `Remove row ${at}` }, "✕");
    drop.addEventListener("click", () => send(input.rows.filter((_, other) => other !== at)));
    return h("tr", {}, ...values.map((_, column) => field(at, column)), h("td", {}, drop));
  }
  function table() {
    const head = h("tr", {}, ...input.columns.map(({ name }) => h("th", { scope: "col" }, name)), h("th", {}));
    const add = h("button", { type: "button", class: "wbp-button" }, "+ Add a row");
    add.addEventListener("click", () => send([...input.rows, input.rows.at(-1)]));
    const drags = input.drag ? " Events on the time line can be dragged." : "";
    return [
      h("div", { class: "wbp-fields" }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...input.rows.map(row)))),
      h("p", {}, add, h("span", { class: "wbp-none" }, drags)), said,
    ];
  }
  const listen = input.drag && alive ? dragging(place, input, () => mode.on(), (...cell) => send(changed(...cell))) : null;
  function show() {
    mode.show();
    setHidden(el, !mode.on());
    if (!mode.on()) return;
    if (!alive) return el.replaceChildren(h("p", { class: "wbp-none" }, NEEDS_A_KERNEL));
    if (!el.firstChild) el.append(...table());
    setText(said, model.get("problem") ?? "");
    listen?.();
  }
  return { el, button: mode.el, show };
}

/** Lets the events of the first time line be dragged along it: their time in the input changes. */
function dragging(place, { columns, rows, drag }, isOn, change) {
  const moved = (value, by) =>
    columns[drag.column].kind === "time"
      ? new Date(Date.parse(`${value.replace(" ", "T")}Z`) + by * 1000).toISOString().slice(0, 19).replace("T", " ")
      : String(Number(value) + Math.round(by));
  let listens = false;
  return () => {
    if (listens) return;
    listens = true;
    for (const mark of place.querySelectorAll(".wbp-timeline [data-row]")) {
      mark.addEventListener("pointerdown", (down) => {
        if (!isOn() || down.button) return;
        down.preventDefault();
        mark.setPointerCapture(down.pointerId);
        const svg = mark.closest("svg[data-unit]");
        const wide = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
        const by = (event) => (event.clientX - down.clientX) * wide;
        const follow = (event) => setAttribute(mark, "transform", `translate(${by(event)},0)`);
        mark.addEventListener("pointermove", follow);
        mark.addEventListener("pointerup", (up) => {
          mark.removeEventListener("pointermove", follow);
          setAttribute(mark, "transform", null);
          const row = Number(mark.dataset.row);
          const value = moved(rows[row][drag.column], (by(up) / Number(svg.dataset.unit)) * drag.seconds);
          if (Math.abs(by(up)) > 2) change(row, drag.column, value);
        }, { once: true });
      });
    }
  };
}

// --- The player --------------------------------------------------------------------------------

/** What a step has done: the function at work, the caption, and the variables that it has changed. */
function captionPanel(lesson) {
  const work = h("p", { class: "wbp-work" });
  const text = h("p", { class: "wbp-caption", "aria-live": "polite" });
  const changes = h("p", { class: "wbp-changes" });
  const end = h("p", { class: "wbp-result" }, "Result: ", h("strong", {}, lesson.result ?? ""));
  const el = h("div", { class: "wbp-caption-box" }, h("div", { class: "wbp-said" }, work, text, changes), end);
  const first = new Map((lesson.functions ?? []).map((item) => [item.name, item.first_line ?? 1]));
  function show(step, isLast) {
    setText(work, `${step.function}, line ${first.get(step.function) + step.line - 1}`);
    setText(text, step.caption);
    const changed = (step.variables ?? []).filter(isChanged).map(changeInWords);
    changes.replaceChildren(...changed.slice(0, CHANGES_SHOWN));
    if (changed.length > CHANGES_SHOWN) changes.append(` and ${changed.length - CHANGES_SHOWN} more`);
    setHidden(end, !isLast || !lesson.result);
  }
  return { el, show };
}

/** A changed variable in a few letters: of a list the cells that are another. */
function changeInWords({ name, value, changed }) {
  const cells = Array.isArray(value) && Array.isArray(changed) && changed.every(Number.isInteger);
  const words = cells
    ? changed.slice(0, 3).map((index) => `${name}[${index}] = ${format(value[index])}`).join(", ")
    : `${name} = ${format(value)}`;
  const shown = words.length > LETTERS_SHOWN ? `${words.slice(0, LETTERS_SHOWN)}…` : words;
  return h("span", { class: "wbp-change" }, h("span", { class: "wbp-dot", "aria-hidden": "true" }, "● "), shown);
}

/** The step, kept in the model so that every view and the kernel see it, and the clock that plays. */
function stepper(model, count, onPlaying, { halts, limit }) {
  const speed = speedChoice();
  let timer = null;
  let own = false;
  const step = () => clamp(model.get("step") ?? 0, 0, count - 1);
  function set(index) {
    own = true;
    model.set("step", clamp(Math.min(index, limit(step())), 0, count - 1));
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
    if (step() === count - 1 || halts(step())) pause();
    else timer = setTimeout(tick, MILLISECONDS_A_STEP / speed.rate());
  }
  function play() {
    if (step() === count - 1) set(0);
    if (halts(step())) return;
    timer = setTimeout(tick, MILLISECONDS_A_STEP / speed.rate());
    onPlaying(true);
  }
  const go = (index) => { pause(); set(index); };
  const toggle = () => (timer === null ? play() : pause());
  // Someone else moved the step: another view, or the kernel. This view does not pull it back.
  const moved = () => { if (!own) pause(); };
  return { speed, step, go, toggle, pause, moved };
}

const header = ({ title, intro, beside }) =>
  h("header", {}, h("h2", { class: beside ? "wbp-spoken" : null }, beside ? `${title} beside ${beside.title}` : title), intro ? h("p", { class: "wbp-intro" }, intro) : null);

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

/** Does it when a panel has a width, and again when its width changes. */
function watchWidth(el, act) {
  let known = 0;
  const observer = new ResizeObserver(() => {
    const width = Math.floor(el.clientWidth);
    if (width === known) return;
    known = width;
    act();
  });
  observer.observe(el);
  return () => observer.disconnect();
}

/** One lesson's caption, pictures, source and variables. */
function pane(lesson, title) {
  const caption = captionPanel(lesson);
  const source = sourcePanel(lesson.functions ?? []);
  const variables = variablesPanel();
  const pictures = (lesson.pictures ?? []).map(picture);
  const columns = h("div", { class: "wbp-columns" }, source.el, variables.el);
  columns.style.setProperty("--wbp-lines", title ? SOURCE_LINES_BESIDE : clamp(source.length, 9, SOURCE_LINES_SHOWN));
  const drawn = h("div", { class: "wbp-pictures" }, ...pictures.map((item) => item.el));
  const heading = title ? h("h3", { class: "wbp-side" }, title) : null;
  const el = h("div", { class: "wbp-pane" }, heading, title ? caption.el : null, drawn, columns);
  function show(index) {
    const step = lesson.steps[index];
    caption.show(step, index === lesson.steps.length - 1);
    pictures.forEach((item) => item.show(index));
    source.show(step);
    variables.show(step);
  }
  return { el, show, caption: caption.el, columns };
}

/** A lesson out of its compressed JSON. */
function unpacked({ packed }) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

function mount(model, el, lesson) {
  // Two lessons go in step by pairs of their steps; one goes by its own.
  const pairs = lesson.pairs ?? (lesson.steps ?? []).map((_, index) => [index]);
  const count = pairs.length;
  if (count === 0) return mountEmpty(lesson, el);
  const sides = lesson.beside ? [lesson, lesson.beside] : [lesson];
  const panes = sides.map((side) => pane(side, sides.length > 1 && side.title));
  const questions = Array.from({ length: count }, (_, index) => lesson.questions?.[index] ?? null);
  const asks = predicting(model, questions, (index) => player.go(index));
  const edits = editing(model, lesson, el);
  const full = fullScreen(() => root, asks.lecture);
  const player = stepper(model, count, (now) => bar.playing(now), asks);
  const bar = controls(count, player, ...asks.buttons, edits.button, full.el);
  const keys = "Keys: ← → one step, Home and End, Space plays and pauses; 1 to 4 predict, N goes to the next question.";
  const hint = h("p", { class: "wbp-hint" }, keys);
  const both = h("div", { class: sides.length > 1 ? "wbp-sides" : null }, ...panes.map((one) => one.el));
  // The caption of one lesson stays in sight with the controls; of two, each stands with its own.
  const caption = sides.length > 1 ? null : panes[0].caption;
  const body = h("div", { class: "wbp-body" }, edits.el, both, hint);
  const root = frame(lesson, [h("div", { class: "wbp-top" }, bar.el, asks.el, caption), body]);
  function show() {
    const index = player.step();
    bar.show(index);
    asks.show(index);
    panes.forEach((one, side) => one.show(pairs[index][side]));
    root.dataset.step = index;
  }
  const onStep = () => { player.moved(); show(); };
  const onMode = () => {
    setAttribute(root, "data-mode", model.get("mode") ?? "watch");
    asks.show(player.step());
    edits.show();
    full.show();
  };
  listenToKeys(root, player, count, asks.answer, { f: full.toggle, n: asks.goToNext });
  model.on("change:step", onStep);
  model.on("change:answers", onMode);
  model.on("change:mode", onMode);
  model.on("change:problem", onMode);
  el.append(root);
  show();
  onMode();
  // Only a laid out page can scroll its current line into sight, hence the columns.
  const unwatch = watchWidth(panes[0].columns, show);
  return () => {
    player.pause();
    model.off("change:step", onStep);
    for (const name of ["answers", "mode", "problem"]) model.off(`change:${name}`, onMode);
    unwatch();
    root.remove();
  };
}

async function render({ model, el }) {
  let [asked, unmount] = [0, null];
  async function show() {
    const number = ++asked;
    const lesson = await unpacked(model.get("lesson"));
    // A later lesson, or the end of the view, has come meanwhile.
    if (number !== asked) return;
    // Who types into a cell goes on typing there when the new run is shown.
    const cell = el.ownerDocument.activeElement?.closest?.("[data-cell]")?.dataset.cell;
    unmount?.();
    unmount = mount(model, el, lesson);
    if (cell) el.querySelector(`[data-cell="${cell}"]`)?.focus({ preventScroll: true });
  }
  model.on("change:lesson", show);
  await show();
  return () => {
    asked += 1;
    model.off("change:lesson", show);
    unmount?.();
  };
}

// A page without a kernel has none to hear.
const initialize = ({ model }) => { if (typeof keepsHearing !== "undefined") keepsHearing(model); };

export default { initialize, render };
