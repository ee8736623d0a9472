// What plotly's widget hears from Python: commands that are null again as soon as they are sent.
const COMMANDS = ["addTraces", "deleteTraces", "moveTraces", "restyle", "relayout", "update",
  "animate", "removeLayoutProps", "removeTraceProps"].map((name) => `change:_py2js_${name}`);
const STATE = ["change:_widget_data", "change:_widget_layout"];

// Notes each command that comes before plotly does, and returns how to give them to it.
function notes(model) {
  const noted = [];
  const listeners = COMMANDS.map((event) => {
    const name = event.slice("change:".length);
    return [event, () => noted.push([name, model.get(name)])];
  });
  // A state that is set as a whole has in it what commands did before.
  const forget = () => { noted.length = 0; };
  listeners.push(...STATE.map((event) => [event, forget]));
  listeners.forEach(([event, listener]) => model.on(event, listener));
  return {
    stop: () => listeners.forEach(([event, listener]) => model.off(event, listener)),
    replay: () => noted.forEach(([name, value]) => model.set(name, value)),
  };
}

// The model as plotly's widget is to see it. A command to several traces says "_undefined_" of those
// that it leaves as they are. plotly's view knows that, but its model takes it for a value, so that
// the figure has lost its marks, or is not drawn at all, where it is shown once more.
function leavesAlone(model) {
  const get = (name) => {
    const value = model.get(name);
    if (COMMANDS.includes(`change:${name}`)) {
      for (const each of Object.values(value?.style_data ?? value?.restyle_data ?? {})) {
        for (const k of Array.isArray(each) ? each.keys() : []) {
          if (each[k] === "_undefined_") each[k] = undefined;
        }
      }
    }
    return value;
  };
  return { ...model, get };
}

// The model, and how to make a view of it that takes its listeners along when it goes. plotly's leaves
// them behind, where they fail; and the first one that fails is the last one that hears, so that a
// chart shown once more, as by a cell that is run again, would be drawn anew nowhere.
function leavesNothing(model) {
  let heard = [];
  const on = (event, listener) => {
    heard.push([event, listener]);
    model.on(event, listener);
  };
  const made = (make) => {
    const own = heard = [];
    return [make(), () => own.forEach(([event, listener]) => model.off(event, listener))];
  };
  return [{ ...model, on }, made];
}

// Whether a legend is where its figure has it, by the numbers that plotly holds of both.
function misplaced({ legend, _size: plot, height } = {}, group) {
  const at = /translate\([^,]+,([^)]+)\)/.exec(group?.getAttribute("transform"));
  if (!at || !plot || legend.yref === "container") return false;
  const above = { bottom: 1, middle: 0.5 }[legend.yanchor] ?? 0;
  const tall = legend._effHeight ?? legend._height;
  const wanted = plot.t + plot.h * (1 - legend.y) - above * tall;
  return Math.abs(Math.min(Math.max(wanted, 0), height - tall) - at[1]) > 2;
}

// What a figure needs once it is drawn. Plotly hears of another width from the window alone: not
// where only its cell has another, nor of one that came while it drew. And at another width a legend
// may need other rows, and the plot another height; plotly then leaves the legend where it was, over
// the marks. Drawn once more it stands beside them.
function mends(plot) {
  const { _fullLayout: layout, clientWidth: wide } = plot ?? {};
  if (wide && layout?.autosize && Math.abs(layout.width - wide) > 1) return { autosize: true };
  if (misplaced(layout, plot?.querySelector(".legend"))) return { "legend.y": layout.legend.y };
}

// Mends a figure at each change. Plotly takes its time on a busy page: what it has drawn late is
// looked at, too.
function keepsShape(model, el) {
  let tries = 0, ours = false, waiting;
  const look = () => {
    const plot = el.matches(".js-plotly-plot") ? el : el.querySelector(".js-plotly-plot");
    const relayout_data = mends(plot);
    if (!relayout_data || ++tries > 3) return;
    ours = true;
    const layout_edit_id = model.get("_last_layout_edit_id");
    model.set("_py2js_relayout", { relayout_data, layout_edit_id, source_view_id: null });
    model.set("_py2js_relayout", null);
    ours = false;
    soon();
  };
  const soon = () => { clearTimeout(waiting); waiting = setTimeout(look, 120); };
  const anew = () => { if (!ours) { tries = 0; soon(); } };
  const sizes = new ResizeObserver(anew);
  sizes.observe(el);
  el.on?.("plotly_afterplot", soon);
  COMMANDS.forEach((event) => model.on(event, anew));
  return () => {
    sizes.disconnect();
    COMMANDS.forEach((event) => model.off(event, anew));
  };
}

// The axes that a command of Python changes; one that follows a zoom changes none.
function changedAxes(value) {
  if (!value || value.source_view_id) return [];
  const names = Object.keys(value.relayout_data ?? value.layout_data ?? {});
  return names.map((name) => /^[xy]axis\d*/.exec(name)?.[0]).filter(Boolean);
}

// Lets a double click and the toolbar return to the ranges that Python drew last. Plotly returns to
// those of its first figure, which may show other hours, or have room for half of the bars.
function keepsRanges(model, el) {
  const drawn = new Set();
  const listeners = COMMANDS.map((event) => [event, () => {
    changedAxes(model.get(event.slice("change:".length))).forEach((name) => drawn.add(name));
  }]);
  listeners.forEach(([event, listener]) => model.on(event, listener));
  el.on?.("plotly_afterplot", () => {
    const plot = el.matches(".js-plotly-plot") ? el : el.querySelector(".js-plotly-plot");
    // There, a double click asks Python.
    if (plot._context.doubleClick === "autosize") return;
    for (const axis of [...drawn].map((name) => plot._fullLayout[name]).filter(Boolean)) {
      const [low, high] = axis.autorange === true ? [] : axis.range;
      Object.assign(axis, { _rangeInitial0: low, _rangeInitial1: high });
    }
    drawn.clear();
  });
  return () => listeners.forEach(([event, listener]) => model.off(event, listener));
}

export default () => {
  let loaded, made;
  const views = new Set();
  return {
    // Not waited for: a widget that takes two seconds here is given up by anywidget.
    initialize({ model }) {
      keepsHearing(model, () => views.forEach((draw) => draw()));
      const before = notes(model);
      loaded = shared(model).then((module) => {
        before.stop();
        const widget = module.default();
        let own;
        [own, made] = leavesNothing(leavesAlone(model));
        widget.initialize({ model: own });
        before.replay();
        return widget;
      });
    },
    async render({ model, el }) {
      const widget = await loaded;
      let leave = () => {};
      const draw = async () => {
        leave();
        const [drawn, deafen] = made(() => widget.render({ model, el }));
        const left = await drawn, stops = [keepsShape(model, el), keepsRanges(model, el)];
        leave = () => { stops.forEach((stop) => stop()); deafen(); left?.(); };
      };
      await draw();
      views.add(draw);
      return () => { views.delete(draw); leave(); };
    },
  };
};
