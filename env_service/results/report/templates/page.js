const root = document.documentElement;
const button = document.getElementById("theme");
const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const tell = () => {
  button.textContent = dark() ? "Light" : "Dark";
  button.setAttribute("aria-label", "Show the page " + (dark() ? "light" : "dark"));
};
button.hidden = false;
button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; tell(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
addEventListener("beforeprint", () => document.querySelectorAll("details.print").forEach(one => { one.open = true; }));
tell();
