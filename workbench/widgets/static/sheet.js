// A chart asks for its width when the window changes; here it is told when its own place does.
function fit(chart) {
  const drawn = chart._fullLayout?.width;
  if (!drawn || !chart.clientWidth || Math.abs(chart.clientWidth - drawn) < 1) return;
  // A new height makes plotly hold the width of then, as if it had been asked for.
  delete chart.layout.width;
  if (chart._responsiveChartHandler) chart._responsiveChartHandler();
  else window.dispatchEvent(new Event("resize"));
}

// Handles of ipywidgets' sliders have no name; what is read of them is their number in a list.
function name(handle) {
  const slider = handle.closest(".widget-slider");
  const label = slider?.querySelector(".widget-label"), readout = slider?.querySelector(".widget-readout");
  if (!label || !readout) return;
  const several = slider.querySelectorAll(".noUi-handle").length > 1;
  const end = handle.classList.contains("noUi-handle-lower") ? ", from" : ", to";
  handle.setAttribute("aria-label", label.textContent + (several ? end : ""));
  if (several) return;
  const tell = () => {
    const text = readout.textContent;
    if (text && handle.getAttribute("aria-valuetext") !== text) handle.setAttribute("aria-valuetext", text);
  };
  new MutationObserver(tell).observe(handle, { attributeFilter: ["aria-valuetext"] });
  tell();
}

// The buttons of ipywidgets' Play are pictures without a name.
function namePlay(button) {
  const names = { "fa-stop": "Back to the first", "fa-retweet": "Again and again" };
  const icon = button.querySelector("i")?.classList;
  const known = Object.keys(names).find((one) => icon?.contains(one));
  button.title = known ? names[known] : "Play or pause";
  button.setAttribute("aria-label", button.title);
}

function render({ model, el }) {
  el.classList.add("wb-sheet");
  model.on("msg:custom", ({ save: name }, [content]) => { if (name) save(name, content); });
  let card = null;
  // The sheet is as wide as its card. A card gets higher when a chart has been drawn in it.
  const places = new ResizeObserver(() => {
    if (!card && (card = el.closest(".wb-card"))) {
      places.observe(card);
      card.addEventListener("focusin", ({ target }) => {
        if (target.matches(".noUi-handle:not([aria-label])")) name(target);
      });
      card.addEventListener("click", (event) => {
        const own = (name) => {
          const found = event.target.closest(name);
          return found?.closest(".wb-card") === card ? found : null;
        };
        const button = own(".wb-copy"), node = own("[data-node]");
        if (button) copyCode(button);
        if (node) model.send({ node: node.dataset.node });
      });
    }
    card?.querySelectorAll(".js-plotly-plot").forEach(fit);
    card?.querySelectorAll(".noUi-handle:not([aria-label])").forEach(name);
    card?.querySelectorAll(".widget-play button:not([aria-label])").forEach(namePlay);
    // Of a label without a tooltip ipywidgets writes "null" for one.
    card?.querySelectorAll('.widget-label[title="null"]').forEach((label) => label.removeAttribute("title"));
  });
  places.observe(el);
  return () => places.disconnect();
}

function save(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export default { initialize: ({ model }) => keepsHearing(model), render };
