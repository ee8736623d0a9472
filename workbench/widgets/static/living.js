// Players and explorers in a page: each in a frame of its own, as high as it is, in the page's theme.
const frames = [...document.querySelectorAll("iframe.wb-living")];
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
const paint = (frame) => frame.contentWindow?.postMessage({ theme: theme() }, "*");

addEventListener("message", ({ source, data }) => {
  const frame = frames.find((one) => one.contentWindow === source);
  if (!frame || !Number.isFinite(data?.height)) return;
  frame.style.height = `${data.height}px`;
  paint(frame);
});

// A page that stands in this one, compressed: it is unpacked when it comes near.
async function open(frame) {
  const letters = atob(frame.dataset.page);
  const packed = new Blob([Uint8Array.from(letters, (letter) => letter.charCodeAt(0))]);
  const page = await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  frame.src = URL.createObjectURL(new Blob([page], { type: "text/html;charset=utf-8" }));
}

const near = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    open(target);
  }
}, { rootMargin: "600px" });

for (const frame of frames) {
  frame.addEventListener("load", () => paint(frame));
  if (frame.dataset.page) near.observe(frame);
}
new MutationObserver(() => frames.forEach(paint)).observe(document.documentElement, { attributeFilter: ["data-theme"] });
dark.addEventListener("change", () => frames.forEach(paint));
