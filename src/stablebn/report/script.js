"use strict";

// The interaction of the report. Names and sentences are inserted only as text, never as HTML.
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const root = document.documentElement;
  const find = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  root.classList.add("js");

  const made = (tag, text, parent) => {
    const element = document.createElement(tag);
    element.textContent = text;
    parent.append(element);
    return element;
  };

  // The theme: light or dark.
  const themes = ["auto", "light", "dark"];
  const remembered = () => {
    try {
      return localStorage.getItem("stablebn-theme");
    } catch {
      return null;
    }
  };
  const setTheme = (theme) => {
    if (theme === "auto") root.removeAttribute("data-theme");
    else root.dataset.theme = theme;
    find("theme").textContent = `Theme: ${theme}`;
    try {
      localStorage.setItem("stablebn-theme", theme);
    } catch {
      // Some browsers have no storage for local files.
    }
  };
  setTheme(themes.includes(remembered()) ? remembered() : "auto");
  find("theme").addEventListener("click", () => {
    const now = root.dataset.theme ?? "auto";
    setTheme(themes[(themes.indexOf(now) + 1) % themes.length]);
  });

  // The visible part of the graph.
  const graph = find("drawing");
  const picture = find("picture");
  const MOST_ZOOM = 4;
  const LARGEST_FIT = 1.25;
  const LOWEST = 240;
  const HIGHEST = 1100;
  const view = { x: 0, y: 0, scale: 1 };
  let touched = false;
  let hidden = false;

  const room = () => ({ width: graph.clientWidth || 1, height: graph.clientHeight || 1 });
  const show = () => {
    const { width, height } = room();
    graph.setAttribute("viewBox", `${view.x} ${view.y} ${width / view.scale} ${height / view.scale}`);
  };
  const fit = () => {
    const [wide, high] = hidden ? data.compactSize : data.size;
    const needed = high * Math.min(LARGEST_FIT, room().width / wide);
    graph.style.height = `${Math.round(Math.min(HIGHEST, Math.max(LOWEST, needed)))}px`;
    const { width, height } = room();
    view.scale = Math.min(LARGEST_FIT, width / wide, height / high);
    view.x = (wide - width / view.scale) / 2;
    view.y = (high - height / view.scale) / 2;
    touched = false;
    show();
  };
  const least = () => Math.min(0.1, room().width / data.size[0] / 2);
  const zoom = (factor, at) => {
    const { width, height } = room();
    const point = at ?? { x: width / 2, y: height / 2 };
    const scale = Math.min(MOST_ZOOM, Math.max(least(), view.scale * factor));
    view.x += point.x / view.scale - point.x / scale;
    view.y += point.y / view.scale - point.y / scale;
    view.scale = scale;
    touched = true;
    show();
  };
  const move = (dx, dy) => {
    view.x += dx / view.scale;
    view.y += dy / view.scale;
    touched = true;
    show();
  };
  const centre = (element) => {
    const box = element.getBBox();
    const { width, height } = room();
    view.scale = Math.max(view.scale, 0.9);
    view.x = box.x + box.width / 2 - width / view.scale / 2;
    view.y = box.y + box.height / 2 - height / view.scale / 2;
    touched = true;
    show();
  };
  const bringIntoView = (element) => {
    const box = element.getBoundingClientRect();
    const frame = graph.getBoundingClientRect();
    const outside = box.right < frame.left || box.left > frame.right || box.bottom < frame.top || box.top > frame.bottom;
    if (outside) centre(element);
  };

  new ResizeObserver(() => (touched ? show() : fit())).observe(graph);
  find("zoom-in").addEventListener("click", () => zoom(1.3));
  find("zoom-out").addEventListener("click", () => zoom(1 / 1.3));
  find("zoom-fit").addEventListener("click", fit);
  window.addEventListener("beforeprint", () => {
    const [wide, high] = hidden ? data.compactSize : data.size;
    graph.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  });
  window.addEventListener("afterprint", show);

  const inGraph = (event) => {
    const frame = graph.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  };
  graph.addEventListener(
    "wheel",
    (event) => {
      // Without Ctrl the wheel scrolls the page; pinching on a touch pad sends Ctrl too.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 200), inGraph(event));
    },
    { passive: false },
  );

  // One pointer drags, two pointers zoom.
  const pointers = new Map();
  let dragged = 0;
  graph.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    pointers.set(event.pointerId, inGraph(event));
    dragged = 0;
  });
  graph.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = inGraph(event);
    if (pointers.size === 1) {
      dragged += Math.hypot(now.x - before.x, now.y - before.y);
      if (dragged > 3) {
        graph.setPointerCapture(event.pointerId);
        graph.classList.add("moving");
        move(before.x - now.x, before.y - now.y);
      }
    } else {
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      const ratio = Math.hypot(now.x - other.x, now.y - other.y) / Math.hypot(before.x - other.x, before.y - other.y);
      dragged = 10;
      if (Number.isFinite(ratio) && ratio > 0) zoom(ratio, other);
    }
    pointers.set(event.pointerId, now);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    graph.addEventListener(end, (event) => {
      pointers.delete(event.pointerId);
      graph.classList.remove("moving");
    });
  }

  // The selection and its explanation.
  const arcs = all("#drawing .arc");
  const nodes = all("#drawing .node");
  const panel = find("panel");
  const told = find("told");
  let returnTo = null;

  const clear = () => {
    for (const element of all(".chosen, .near")) element.classList.remove("chosen", "near");
    picture.classList.remove("dimmed");
  };
  const close = () => {
    if (panel.hidden) return false;
    const had = panel.contains(document.activeElement);
    panel.hidden = true;
    clear();
    if (had && returnTo) returnTo.focus({ preventScroll: true });
    return true;
  };
  // Move the graph so that the panel does not hide the selection.
  const clearOfPanel = (element) => {
    const box = element.getBoundingClientRect();
    const cover = panel.getBoundingClientRect();
    const over = box.right > cover.left && box.left < cover.right && box.bottom > cover.top && box.top < cover.bottom;
    if (!over || cover.left < window.innerWidth / 2) return;
    // But keep the other end of an arc visible.
    const most = box.left - graph.getBoundingClientRect().left - 24;
    move(Math.max(0, Math.min(box.right - cover.left + 24, most)), 0);
  };
  const tell = (what, from) => {
    told.replaceChildren();
    made("h2", what.title, told);
    for (const sentence of what.sentences) made("p", sentence, told);
    if (what.facts.length) {
      const list = made("dl", "", told);
      for (const [term, value] of what.facts) {
        made("dt", term, list);
        made("dd", value, list);
      }
    }
    if (from) returnTo = from;
    panel.hidden = false;
    panel.scrollTop = 0;
  };
  const chooseArc = (number, from) => {
    const arc = data.arcs[number];
    clear();
    arcs[number].classList.add("chosen", "near");
    for (const end of arc.ends) nodes[end].classList.add("near");
    for (const row of all(`#arc-table tr[data-row="${number}"]`)) row.classList.add("chosen");
    picture.classList.add("dimmed");
    tell(arc, from);
    clearOfPanel(arcs[number]);
  };
  const chooseNode = (number, from) => {
    clear();
    nodes[number].classList.add("chosen", "near");
    const list = document.createElement("ul");
    data.arcs.forEach((arc, at) => {
      if (!arc.ends.includes(number)) return;
      arcs[at].classList.add("near");
      for (const end of arc.ends) nodes[end].classList.add("near");
      const button = made("button", arc.title, made("li", "", list));
      button.type = "button";
      button.className = "link";
      button.addEventListener("click", () => chooseArc(at));
    });
    picture.classList.add("dimmed");
    tell(data.nodes[number], from);
    if (list.children.length) told.append(list);
    clearOfPanel(nodes[number]);
  };
  const choose = (element) => {
    if (element.dataset.arc !== undefined) chooseArc(Number(element.dataset.arc), element);
    else chooseNode(Number(element.dataset.node), element);
  };

  graph.addEventListener("click", (event) => {
    if (dragged > 3) return;
    const element = event.target.closest(".arc, .node");
    if (element) choose(element);
    else close();
  });
  graph.addEventListener("focusin", (event) => {
    const element = event.target.closest(".arc, .node");
    if (element && element.matches(":focus-visible")) bringIntoView(element);
  });
  find("close").addEventListener("click", close);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-opens], [data-shows]");
    if (!button) return;
    if (button.dataset.opens !== undefined) chooseArc(Number(button.dataset.opens), button);
    else chooseNode(Number(button.dataset.shows), button);
  });

  // Search for a variable.
  const search = find("find");
  let matches = [];
  let match = 0;
  const lookFor = () => {
    const wanted = search.value.trim().toLowerCase();
    matches = wanted ? nodes.filter((_, at) => data.nodes[at].title.toLowerCase().includes(wanted)) : [];
    match = 0;
    for (const node of nodes) node.classList.toggle("hit", matches.includes(node));
    find("found").textContent = wanted ? `${matches.length} of ${nodes.length}` : "";
  };
  search.addEventListener("input", lookFor);
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !matches.length) return;
    event.preventDefault();
    const node = matches[match % matches.length];
    match += 1;
    if (node.classList.contains("isolated") && hidden) setHidden(false);
    centre(node);
    chooseNode(nodes.indexOf(node), search);
  });

  // Views, colours and isolated variables.
  for (const radio of all('input[name="view"]')) {
    radio.addEventListener("change", () => (picture.dataset.view = radio.value));
  }
  for (const radio of all('input[name="colour"]')) {
    radio.addEventListener("change", () => (picture.dataset.colour = radio.value));
  }
  const hide = find("hide-isolated");
  const setHidden = (on) => {
    hidden = on;
    hide.checked = on;
    picture.classList.toggle("hide-isolated", on);
    fit();
  };
  if (hide) hide.addEventListener("change", () => setHidden(hide.checked));

  // Sort tables by a column: numbers by value, missing values last.
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value ?? cell.textContent;
  };
  for (const table of all("table")) {
    const heads = all("thead th", table);
    heads.forEach((head, column) => {
      head.firstElementChild.addEventListener("click", () => {
        const numeric = head.classList.contains("number");
        const first = numeric ? "descending" : "ascending";
        const now = head.getAttribute("aria-sort");
        const order = now === null ? first : now === "ascending" ? "descending" : "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        const body = table.tBodies[0];
        const rows = [...body.rows].map((row) => [keyOf(row, column), row]);
        const collator = new Intl.Collator("en", { numeric: true });
        rows.sort(([a], [b]) => {
          if ((a === "") !== (b === "")) return a === "" ? 1 : -1;
          return sign * (numeric ? Number(a) - Number(b) : collator.compare(a, b));
        });
        body.append(...rows.map(([, row]) => row));
      });
    });
  }

  const filter = find("filter");
  const direction = find("filter-direction");
  if (filter) {
    const rows = all("#arc-table tbody tr");
    const apply = () => {
      const wanted = filter.value.trim().toLowerCase();
      let left = 0;
      for (const row of rows) {
        const fits = row.dataset.text.includes(wanted);
        row.hidden = !fits || (direction.value !== "" && row.dataset.direction !== direction.value);
        left += row.hidden ? 0 : 1;
      }
      find("filtered").textContent = left === rows.length ? "" : `${left} of ${rows.length}`;
    };
    filter.addEventListener("input", apply);
    direction.addEventListener("change", apply);
  }

  // Keyboard.
  const typing = (element) => /^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) && element.type !== "radio";
  const STEP = 60;
  const moves = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = document.activeElement ?? document.body;
    if (event.key === "Escape") {
      if (close()) return;
      if (search.value) {
        search.value = "";
        lookFor();
      }
      return;
    }
    if (typing(at)) return;
    if (event.key === "/") {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "+" || event.key === "=") {
      zoom(1.3);
    } else if (event.key === "-") {
      zoom(1 / 1.3);
    } else if (event.key === "0") {
      fit();
    } else if (graph.contains(at) && moves[event.key]) {
      event.preventDefault();
      move(...moves[event.key]);
    } else if (graph.contains(at) && (event.key === "Enter" || event.key === " ") && at !== graph) {
      event.preventDefault();
      choose(at);
      panel.focus({ preventScroll: true });
    }
  });

  fit();
})();
