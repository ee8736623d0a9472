// Once a page, however many explorers it has.
const STARTED = Symbol.for("workbench.sheet");

function start() {
  // A chart asks for its width when the window changes; here it is told when its own place does.
  const places = new ResizeObserver((entries) => {
    for (const { target: chart } of entries) {
      const drawn = chart._fullLayout?.width;
      if (!drawn || !chart.clientWidth || Math.abs(chart.clientWidth - drawn) < 1) continue;
      if (chart._responsiveChartHandler) chart._responsiveChartHandler();
      else window.dispatchEvent(new Event("resize"));
    }
  });
  document.addEventListener("plotlywidget-after-render", (event) => {
    places.observe(event.detail.element);
  });
  document.querySelectorAll(".js-plotly-plot").forEach((chart) => places.observe(chart));
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".wb-copy");
    if (button) copy(button);
  });
}

async function copy(button) {
  const code = button.parentElement.querySelector("code").textContent;
  await navigator.clipboard?.writeText(code);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

function render({ el }) {
  el.hidden = true;
  if (globalThis[STARTED]) return;
  globalThis[STARTED] = true;
  start();
}

export default { render };
