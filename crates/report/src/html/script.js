for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    const said = (word) => () => { button.textContent = word; };
    navigator.clipboard.writeText(text).then(said("copied"), said("select the text and copy it"));
  });
}
