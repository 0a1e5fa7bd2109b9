for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    const said = (word) => () => { button.textContent = word; };
    navigator.clipboard.writeText(text).then(said("copied"), said("select the text and copy it"));
  });
}
for (const link of document.querySelectorAll("a[data-layer]")) {
  link.addEventListener("click", () => {
    const layer = document.getElementById(link.dataset.layer);
    layer.checked = true;
    layer.closest("details").open = true;
  });
}
