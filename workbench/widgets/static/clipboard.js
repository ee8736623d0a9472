// Puts text on the clipboard. Pages that come by plain http from another machine are not given one,
// and others may be denied it: there a text field is copied, as a person would do it.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = Object.assign(document.createElement("textarea"), { value: text });
    const before = document.activeElement;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    before?.focus();
    return done;
  }
}

// Copies the code next to a button, which says for a moment whether it did.
async function copyCode(button) {
  const name = button.dataset.name ??= button.textContent;
  const done = await copied(button.parentElement.querySelector("code").textContent);
  button.textContent = done ? "Copied" : "Not copied";
  setTimeout(() => { button.textContent = name; }, 1500);
}
