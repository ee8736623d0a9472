// anywidget gives up a model that is not ready two seconds after it came, as on a busy machine, and
// drops what Python sends it from then on. Such a model hears Python again, by the handler of
// ipywidgets, and asks for its state; `again` is called when that has come.
function keepsHearing(model, again = () => {}) {
  // The model itself, of which a widget is given a part: events name it.
  let own;
  const find = (it) => { own = it; };
  model.on("change:_heard", find);
  model.set("_heard", true);
  model.off("change:_heard", find);
  const hear = async (message) => {
    await Object.getPrototypeOf(Object.getPrototypeOf(own))._handle_comm_msg.call(own, message);
    if ("_esm" in (message.content.data.state ?? {})) again();
  };
  // A message that says nothing: it fails where all others do.
  own._handle_comm_msg({ content: { data: {} } }).catch(() => {
    own.comm?.on_msg(hear);
    own.comm?.send({ method: "request_state" });
  });
}
