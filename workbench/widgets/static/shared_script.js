// A script of megabytes: a page evaluates it once for all widgets, which would take each a second.
const modules = (globalThis.workbenchScripts ??= new Map());

// The module of the script that a widget shares with others.
async function shared(model) {
  const script = await model.widget_manager.get_model(model.get("_script").slice("IPY_MODEL_".length));
  const name = script.get("name");
  if (!modules.has(name)) {
    const address = URL.createObjectURL(new Blob([script.get("code")], { type: "text/javascript" }));
    const module = import(address).finally(() => URL.revokeObjectURL(address));
    modules.set(name, module);
    module.catch(() => modules.delete(name));
  }
  return modules.get(name);
}
