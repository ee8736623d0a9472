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

export default () => {
  let loaded;
  return {
    // Not waited for: a widget that takes two seconds here is given up by anywidget.
    initialize({ model }) {
      const before = notes(model);
      loaded = shared(model).then((module) => {
        before.stop();
        const widget = module.default();
        widget.initialize({ model });
        before.replay();
        return widget;
      });
    },
    async render({ model, el }) {
      return (await loaded).render({ model, el });
    },
  };
};
