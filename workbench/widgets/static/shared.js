// A view for each combination of choices is in the page; its state stands in the address.
const known = JSON.parse(document.getElementById("known").textContent);
const templates = document.querySelectorAll("template");
const choices = [...document.querySelectorAll("[data-choice]")];
const place = document.getElementById("view");
const spoken = document.getElementById("spoken");
const problem = document.getElementById("problem");
const same = (state) => new URLSearchParams(state).toString();
const states = known.states.map(same);
let seen = known.first;
templates[seen].content.append(...place.cloneNode(true).childNodes);

// Views are in the order of the choices' options, the last choice changing first.
const chosen = () => choices.reduce((at, one, k) => at * known.counts[k] + Number(one.value), 0);

function choose(view) {
  for (let k = choices.length - 1, rest = view; k >= 0; k--) {
    choices[k].value = rest % known.counts[k];
    rest = Math.floor(rest / known.counts[k]);
  }
}

function show(view) {
  for (const one of choices) {
    if (one.type !== "range") continue;
    const label = JSON.parse(one.dataset.labels)[one.value];
    one.setAttribute("aria-valuetext", label);
    one.nextElementSibling.textContent = label;
  }
  if (view === seen) return;
  seen = view;
  place.replaceChildren(templates[view].content.cloneNode(true));
  spoken.textContent = place.querySelector(".wb-told").textContent;
}

function say(words) {
  problem.hidden = !words;
  problem.textContent = words;
}

function read() {
  const asked = location.hash.slice(1);
  const view = asked ? states.indexOf(same(asked)) : known.first;
  say(view < 0 ? "The view that the address names is not in this page; another one is shown." : "");
  if (view < 0) return;
  choose(view);
  show(view);
}

// A slider shows where it is drawn to; the address, and so the way back, has where it is left.
for (const one of choices) {
  one.addEventListener("input", () => show(chosen()));
  one.addEventListener("change", () => {
    show(chosen());
    say("");
    history.pushState(null, "", `#${known.states[seen]}`);
  });
}
addEventListener("popstate", read);
addEventListener("hashchange", read);

function save(text, type, ending) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = `${known.name}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A picture of its own has its colours written into it, as they are in this theme.
function alone(picture) {
  const copy = picture.cloneNode(true);
  const drawn = [picture, ...picture.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((one, k) => {
    const style = getComputedStyle(drawn[k]);
    for (const side of ["fill", "stroke"]) {
      if (k === 0 || one.hasAttribute(side)) one.setAttribute(side, style[side]);
    }
  });
  copy.style.background = getComputedStyle(document.querySelector(".wb-card")).backgroundColor;
  return new XMLSerializer().serializeToString(copy);
}

document.getElementById("csv").addEventListener("click", () => save(known.csv[seen], "text/csv", "csv"));
document.getElementById("svg").addEventListener("click", () => {
  save(alone(place.querySelector("svg")), "image/svg+xml", "svg");
});
document.addEventListener("click", (event) => {
  const button = event.target.closest(".wb-code .wb-copy");
  if (button) copyCode(button);
});
document.querySelector(".wb-saves").hidden = false;
read();
