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
const contents = document.getElementById("contents");
contents.addEventListener("click", event => { if (event.target.closest("a")) contents.open = false; });
addEventListener("click", event => { if (!contents.contains(event.target)) contents.open = false; });
addEventListener("keydown", event => { if (event.key === "Escape") contents.open = false; });
const unfold = () => {
  const aimed = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (aimed && aimed.tagName === "DETAILS" && aimed !== contents) aimed.open = true;
};
addEventListener("hashchange", unfold);
unfold();
const links = [...document.querySelectorAll(".side a")];
const aims = links.map(link => document.getElementById(link.hash.slice(1)));
const follow = () => {
  // The last one that began above the middle of the window's upper half.
  const line = innerHeight / 4;
  let now = 0;
  aims.forEach((aim, place) => { if (aim && aim.getBoundingClientRect().top < line) now = place; });
  links.forEach((link, place) => {
    if (place !== now) { link.removeAttribute("aria-current"); return; }
    if (link.hasAttribute("aria-current")) return;
    link.setAttribute("aria-current", "true");
    const side = link.closest("nav");
    // Not scrollIntoView: it would move the page, too.
    if (link.offsetTop < side.scrollTop || link.offsetTop + link.offsetHeight > side.scrollTop + side.clientHeight) {
      side.scrollTop = link.offsetTop - side.clientHeight / 2;
    }
  });
};
if (links.length) { addEventListener("scroll", follow, { passive: true }); follow(); }
