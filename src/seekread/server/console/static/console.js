// What a page without JavaScript lacks: a shortcut, copying, and a word to screen readers when a part of it changes.
"use strict";

const announce = (text) => {
  document.getElementById("announce").textContent = text;
};

const copy = async (text, button) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    return false;
  }
  const before = button.dataset.label || button.textContent;
  button.dataset.label = before;
  button.textContent = "Copied";
  announce("Copied");
  setTimeout(() => { button.textContent = before; }, 1500);
  return true;
};

const copyFrom = async (link) => {
  const response = await fetch(link.href);
  if (!response.ok || !(await copy(await response.text(), link))) location.assign(link.href);
};

const copyField = async (button) => {
  const field = document.getElementById(button.dataset.copy);
  if (await copy(field.value, button)) return;
  // Without the clipboard (plain http on another machine), the text is marked for the person to copy.
  field.closest("details")?.setAttribute("open", "");
  field.select();
};

const revealButtons = () => {
  for (const button of document.querySelectorAll("button[data-copy][hidden]")) button.hidden = false;
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copyField(button);
  const link = event.target.closest("a[data-copy-from]");
  if (link && navigator.clipboard && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    copyFrom(link);
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const field = document.querySelector("[data-shortcut]") || document.getElementById("find");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});

// A sentence that is selected in the page can be checked and cited at once.
document.addEventListener("selectionchange", () => {
  const selection = document.getSelection();
  const field = document.getElementById("quote");
  if (!field || selection.isCollapsed || document.activeElement === field) return;
  const start = selection.anchorNode?.parentElement;
  if (start?.closest("[data-quotable]")) field.value = selection.toString().trim().slice(0, 2000);
});

// An answer without the part we wait for, such as a refusal, is shown as the whole page it is.
document.addEventListener("htmx:before:swap", (event) => {
  const { ctx } = event.detail;
  if (!ctx.target?.id || ctx.text.includes(`id="${ctx.target.id}"`)) return;
  event.preventDefault();
  location.assign(ctx.request.action);
});

document.addEventListener("htmx:error", (event) => {
  if (event.detail.error?.name === "AbortError") return;
  const notice = document.createElement("p");
  notice.className = "failed";
  notice.setAttribute("role", "alert");
  notice.textContent = "The service cannot be reached. Check that it runs, then try again.";
  document.querySelector("#answer, #found")?.replaceChildren(notice);
});

document.addEventListener("htmx:after:swap", () => {
  revealButtons();
  const told = document.querySelector("#answer [data-announce], #found [data-announce]");
  if (told) announce(told.dataset.announce);
  const found = document.querySelector("#found .panel");
  if (found) found.scrollIntoView({ block: "nearest" });
});

revealButtons();
if (matchMedia("(max-width: 60rem)").matches) {
  for (const fold of document.querySelectorAll(".fold")) fold.removeAttribute("open");
}
