"use strict";
(() => {
  const say = (text) => { document.getElementById("say").textContent = text; };
  const cells = (row) => [...row.children];
  const key = (cell) => cell.dataset.sort ?? cell.textContent.trim();

  const compare = (a, b) => {
    const [x, y] = [Number(a), Number(b)];
    if (a !== "" && b !== "" && !Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    if ((a === "") !== (b === "")) return a === "" ? 1 : -1;
    return a.localeCompare(b, "en", { numeric: true });
  };

  const sort = (table, column, head) => {
    const upward = head.getAttribute("aria-sort") !== "ascending";
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => compare(key(a.children[column]), key(b.children[column])));
    (upward ? rows : rows.reverse()).forEach((row) => body.append(row));
    table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", upward ? "ascending" : "descending");
    say(`Sorted by ${head.textContent.trim()}, ${upward ? "upward" : "downward"}.`);
  };

  const copy = async (table) => {
    const text = [...table.rows].map((row) => cells(row).map((cell) => cell.innerText.trim().replace(/\s+/g, " ")).join("\t")).join("\n");
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    say("Table copied.");
  };

  document.querySelectorAll(".table").forEach((place) => {
    const table = place.querySelector("table");
    table.querySelectorAll("thead th").forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, column, head));
    });
    const button = place.querySelector(".copy");
    button.hidden = false;
    button.addEventListener("click", async () => {
      await copy(table);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy table"; }, 1600);
    });
  });

  document.querySelectorAll(".explore").forEach((figure) => {
    const stepper = figure.querySelector(".stepper");
    const slider = stepper.querySelector("input");
    const points = [...figure.querySelectorAll(".point")];
    const rows = [...document.querySelectorAll(`[data-curve="${figure.id}"]`)];
    const texts = JSON.parse(figure.querySelector("script").textContent);
    const show = (index) => {
      slider.value = String(index);
      slider.setAttribute("aria-valuetext", texts[index]);
      stepper.querySelector("output").textContent = texts[index];
      points.forEach((point) => point.classList.toggle("current", Number(point.dataset.index) === index));
      rows.forEach((row) => row.classList.toggle("picked", Number(row.dataset.index) === index));
    };
    stepper.hidden = false;
    slider.addEventListener("input", () => show(Number(slider.value)));
    points.forEach((point) => point.addEventListener("click", () => show(Number(point.dataset.index))));
    show(Number(slider.value));
  });

  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let part = target?.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    target?.scrollIntoView();
  };
  window.addEventListener("hashchange", unfold);
  if (location.hash) unfold();

  const opened = new Set();
  window.addEventListener("beforeprint", () => document.querySelectorAll("details.print:not([open])").forEach((part) => { part.open = true; opened.add(part); }));
  window.addEventListener("afterprint", () => { opened.forEach((part) => { part.open = false; }); opened.clear(); });
})();
