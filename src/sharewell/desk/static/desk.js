// The desk in the browser: send a form, replace what changed. Nothing is kept here: no storage, no value in an address.
const csrf = document.querySelector("meta[name=csrf]")?.content ?? "";
const say = (text) => { const place = document.getElementById("say"); if (place) place.textContent = text; };
document.documentElement.classList.add("js");

// idle: what is on the screen goes when the session does; tabs of one person keep each other awake
const idle = Number(document.body.dataset.idle) * 1000;
const tabs = new BroadcastChannel("awake");
let timer = 0;
const leave = async () => {
  try { await fetch("/leave", { method: "POST", body: new URLSearchParams({ csrf }), redirect: "manual" }); } finally { location.replace("/left"); }
};
const rest = () => { clearTimeout(timer); timer = setTimeout(leave, idle); };
const awake = () => { rest(); tabs.postMessage(""); };
tabs.onmessage = rest;
if (idle) awake();

// a form sent without leaving the page
const send = async (form, button) => {
  const fields = new URLSearchParams(new FormData(form));
  if (button?.name) fields.set(button.name, button.value);
  const answer = await fetch(form.action, { method: "POST", body: fields, headers: { "X-Fragment": "1", "X-CSRF": csrf }, redirect: "follow" });
  awake();
  if (answer.status === 401) { location.replace("/left"); return null; }
  if (answer.redirected || !answer.ok) { location.reload(); return null; }
  return answer.text();
};

// roles: a change is written at once, and what it contradicts is said beside it
const written = async (form) => {
  form.querySelector("option[value='']")?.remove();
  const html = await send(form);
  if (html === null) return;
  form.closest("tr").classList.remove("norole");
  const part = document.getElementById("plan-part");
  const unfolded = part.querySelector(".plan-text").open;
  part.innerHTML = html;
  part.querySelector(".plan-text").open = unfolded;
  const problems = part.querySelectorAll(".problems li").length;
  say(problems ? `${problems} things to settle in the plan.` : "The plan is complete.");
};
document.addEventListener("change", (event) => {
  const form = event.target.closest("form.role");
  if (form) written(form);
});
document.querySelectorAll("form.role").forEach((form) => { // chosen before this script was there
  const standing = form.querySelector("option[selected]");
  if (standing && !standing.selected) written(form);
});

// review, one word at a time
const review = document.getElementById("review");
let busy = false;
let open = false; // whether this reviewer looks at the words around
const act = async (button) => {
  if (busy) return;
  busy = true;
  const typing = button.closest("form.note") !== null;
  try {
    const html = await send(button.form, button);
    if (html !== null) {
      const around = review.querySelector("details.context")?.open ?? open;
      review.innerHTML = html;
      const context = review.querySelector("details.context");
      if (context) context.open = around;
      open = around;
      if (typing) review.querySelector("#note-text")?.focus();
      else if (document.activeElement === document.body) document.getElementById("main").focus({ preventScroll: true });
    }
  } finally { busy = false; }
};
review?.addEventListener("submit", (event) => {
  event.preventDefault();
  act(event.submitter ?? event.target.querySelector("button"));
});

// review, as a list
const rows = document.querySelector("[data-rows]");
const mark = async (button) => {
  const row = button.closest("tr");
  const html = await send(button.form, button);
  if (html === null) return;
  const made = document.createElement("template");
  made.innerHTML = html;
  const fresh = made.content.querySelector("tr");
  const standing = made.content.querySelector("#new-standing");
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.replaceWith(fresh);
  if (standing) document.getElementById("standing").replaceWith(standing.content.querySelector("#standing"));
  (next ?? fresh).tabIndex = 0;
  (next ?? fresh).focus();
};
rows?.addEventListener("submit", (event) => { event.preventDefault(); mark(event.submitter); });

// keys
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  if (rows) {
    const row = event.target.closest("tbody tr") ?? rows.tBodies[0].rows[0];
    if (!row) return;
    const way = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
    if (way) { way.tabIndex = 0; way.focus(); event.preventDefault(); return; }
    row.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
  } else if (review) {
    const button = review.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (button) { event.preventDefault(); act(button); }
  }
});

// trade-off: a click on a point of a chart puts it into the plan; one that misses a limit asks first
document.querySelectorAll("form.choose").forEach((form) => {
  const select = form.querySelector("select");
  const sure = form.querySelector(".sure");
  const show = () => {
    const option = select.selectedOptions[0];
    form.querySelector(".asked").textContent = option.dataset.asks;
    sure.hidden = option.dataset.meets === "yes";
  };
  select.addEventListener("change", show);
  show();
  const figure = document.getElementById(form.dataset.figure);
  figure?.querySelectorAll(".point").forEach((point) => point.addEventListener("click", () => {
    select.value = point.dataset.index;
    show();
    if (select.selectedOptions[0].dataset.meets === "yes") form.requestSubmit();
    else { sure.querySelector("input").focus(); say("This point misses a limit. Say that you are sure, then put it into the plan."); }
  }));
});

// approval: the key is read from the person's own disk and sent with the form, nowhere else; a button pressed before the
// key is read stays where it is, and sends the form once it is
document.querySelectorAll(".key-file").forEach((input) => {
  let reading = null;
  let pressed = false;
  input.addEventListener("change", async () => {
    const file = input.files[0];
    const mine = reading = file && file.size < 10000 ? file.text().catch(() => "") : Promise.resolve("");
    const text = await mine;
    if (reading !== mine) return; // another file was chosen meanwhile
    reading = null;
    input.form.querySelector("[name=key]").value = text;
    if (pressed) input.form.requestSubmit();
    pressed = false;
  });
  input.form.addEventListener("submit", (event) => {
    if (reading !== null) { event.preventDefault(); pressed = true; }
  });
});

// the work under way; a page that is older than the end of the work loads itself again, unless somebody is writing on it
// or on the way to another page, from which it would call them back
let leaving = false;
let stays = false; // what comes next is a file, and the page stays
document.addEventListener("submit", (event) => { stays = "stays" in event.target.dataset; });
window.addEventListener("beforeunload", () => { leaving = !stays; stays = false; });
const unsent = () => [...document.querySelectorAll("textarea, input")].some((field) => field.type !== "hidden" && field.value !== field.defaultValue);
const job = document.getElementById("job");
if (job && window.EventSource) {
  const stream = new EventSource("/work/events");
  const made = `${job.dataset.number} ${job.dataset.state}`;
  stream.onmessage = (event) => {
    const now = JSON.parse(event.data);
    if (!now) return;
    const running = now.state === "running";
    const older = !running && `${now.number} ${now.state}` !== made;
    if (older && !leaving && !unsent()) { stream.close(); location.reload(); return; }
    job.hidden = false;
    job.dataset.state = now.state;
    job.querySelector(".title").textContent = now.title;
    const left = now.left === null ? "" : `, about ${now.left < 90 ? `${Math.max(5, Math.round(now.left / 5) * 5)} s` : `${Math.round(now.left / 60)} min`} left`;
    const end = older ? `${now.said} Load this page again to see what came of it.` : now.said;
    job.querySelector(".step").textContent = running ? now.step + left : end;
    const bar = job.querySelector("progress");
    bar.hidden = !running;
    if (now.share === null) bar.removeAttribute("value"); else bar.value = now.share;
    const stop = job.querySelector(".stop");
    if (stop) stop.hidden = !running;
  };
  window.addEventListener("pagehide", () => stream.close());
}

// groups of values: names typed once are offered again, and a value dragged onto another joins its group
document.querySelectorAll("form.groups").forEach((form) => {
  const inputs = [...form.querySelectorAll("input[list]")];
  const offer = () => form.querySelector("datalist").replaceChildren(...[...new Set(inputs.map((one) => one.value).filter(Boolean))].map((name) => new Option(name)));
  let moved = null;
  form.addEventListener("input", offer);
  form.addEventListener("dragstart", (event) => { moved = event.target.closest("tr"); });
  form.addEventListener("dragover", (event) => { if (moved && event.target.closest("tbody tr")) event.preventDefault(); });
  form.addEventListener("drop", (event) => {
    const onto = event.target.closest("tbody tr");
    if (!moved || !onto || onto === moved) return;
    event.preventDefault();
    const [from, to] = [moved, onto].map((row) => row.querySelector("input[list]"));
    const name = to.value || [onto, moved].map((row) => row.cells[0].textContent).join(" or ");
    from.value = to.value = name;
    offer();
  });
  offer();
});
