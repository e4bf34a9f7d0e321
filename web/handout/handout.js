// The page that is taken away: its language, and how each number comes about. All that it shows stands in the page:
// nothing is fetched, and no number is computed here.

const PAUSE = 900; // milliseconds from one moment to the next

/** @typedef {{lit: string[], nodes: Node[]}} Moment the cells that light up, and the line so far */

/**
 * What stands in the page, since mha_view/handout writes it.
 * @template {Element} T
 * @param {ParentNode} parent
 * @param {string} selector
 * @returns {T}
 */
const required = (parent, selector) => {
  const node = parent.querySelector(selector);
  if (!node) throw new Error(`the page has no ${selector}`);
  return /** @type {T} */ (node);
};

/** Let the buttons choose the language; without them the page stays in its own. */
const switchLanguage = () => {
  /** @type {HTMLElement} */
  const languages = required(document, ".languages");
  languages.hidden = false;
  languages.addEventListener("click", ({ target }) => {
    const chosen = /** @type {HTMLElement} */ (target).lang;
    if (!chosen) return;
    document.documentElement.lang = chosen;
    for (const button of languages.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.lang === chosen));
    }
    document.title = /** @type {HTMLElement} */ (required(document, "h1")).innerText;
  });
};

/**
 * The moments of a number, the last with its whole line: its terms one after another where they are added up.
 * @param {HTMLElement} line
 * @returns {Moment[]}
 */
const momentsOf = (line) => {
  const terms = (line.dataset.terms ?? "").split(" ").map((term) => term.split(","));
  const parts = [...line.querySelectorAll("span:not(.symbol)")];
  const adds = parts.length === terms.length;
  const before = parts.map((_, i) => ({
    lit: adds ? terms[i] : terms.flat(),
    nodes: parts
      .slice(0, i + 1)
      .flatMap((part, at) => [...(at ? [new Text(" + ")] : []), part.cloneNode(true)]),
  }));
  return [...before, { lit: terms.flat(), nodes: [...line.cloneNode(true).childNodes] }];
};

/**
 * Bars of a softmax's row: its exponentials, as far as they are there, become shares.
 * @param {HTMLElement} result the cell
 * @param {HTMLElement} picture
 * @param {number} shown how many exponentials; without end for the shares
 */
const bars = (result, picture, shown) => {
  const row = /** @type {HTMLTableRowElement} */ (result.parentElement);
  const table = /** @type {HTMLTableElement} */ (picture.querySelectorAll("table")[1]);
  const exponentials = [...table.rows[row.rowIndex].querySelectorAll("td")].map((cell) =>
    Number(cell.textContent),
  );
  const most = Math.max(...exponentials);
  [...row.querySelectorAll("td")].forEach((cell, j) => {
    cell.dataset.share ??= cell.style.getPropertyValue("--bar");
    const { share } = cell.dataset;
    const bar = j < shown && most ? exponentials[j] / most : 0;
    cell.style.setProperty("--bar", shown === Number.POSITIVE_INFINITY ? share : String(bar));
    cell.classList.toggle("coming", shown !== Number.POSITIVE_INFINITY);
  });
};

/** Leave no trace of a motion on the page. */
const clear = () => {
  for (const name of ["lit", "read", "coming", "made"]) {
    for (const cell of document.querySelectorAll(`td.${name}`)) cell.classList.remove(name);
  }
  for (const node of document.querySelectorAll("td[data-share]")) {
    const { dataset, style } = /** @type {HTMLElement} */ (node);
    style.setProperty("--bar", dataset.share ?? "");
  }
};

/** The step that moves, so that another's button halts it. */
let halt = () => {};

/**
 * One step's motion: a button, the number, the moment.
 * @param {HTMLElement} motion
 */
const move = (motion) => {
  /** @type {HTMLButtonElement} */
  const button = required(motion, "button");
  /** @type {HTMLSelectElement} */
  const choice = required(motion, "select");
  /** @type {HTMLInputElement} */
  const moment = required(motion, "input");
  /** @type {HTMLOutputElement} */
  const line = required(motion, "output");
  const lines = [.../** @type {Element} */ (motion.nextElementSibling).querySelectorAll("li")];
  let picture = /** @type {HTMLElement} */ (motion.previousElementSibling);
  while (picture.matches("p")) picture = /** @type {HTMLElement} */ (picture.previousElementSibling);
  /** @type {Moment[]} */
  let moments = [];
  let timer = 0;

  /** @param {string} key @returns {NodeListOf<HTMLElement>} */
  const cellsOf = (key) => picture.querySelectorAll(`td[data-cell="${key}"]`);
  const of = () => lines[choice.selectedIndex];

  const show = () => {
    clear();
    const { lit, nodes } = moments[moment.valueAsNumber];
    const done = moment.valueAsNumber === moments.length - 1;
    for (const key of moments[moments.length - 1].lit)
      for (const cell of cellsOf(key)) cell.classList.add("read");
    if (!done) for (const key of lit) for (const cell of cellsOf(key)) cell.classList.add("lit");
    for (const cell of cellsOf(of().dataset.of ?? "")) {
      cell.classList.add(done ? "made" : "coming");
      if (cell.style.getPropertyValue("--bar")) {
        bars(cell, picture, done ? Number.POSITIVE_INFINITY : moment.valueAsNumber + 1);
      }
    }
    line.replaceChildren(...nodes.map((node) => node.cloneNode(true)));
  };

  const pause = () => {
    clearInterval(timer);
    timer = 0;
    button.setAttribute("aria-pressed", "false");
  };

  const choose = () => {
    halt();
    halt = pause;
    moments = momentsOf(of());
    moment.max = String(moments.length - 1);
    moment.value = "0";
  };

  const step = () => {
    if (moment.valueAsNumber < moments.length - 1) moment.value = String(moment.valueAsNumber + 1);
    show();
    if (moment.valueAsNumber === moments.length - 1) pause();
  };

  const play = () => {
    const running = timer > 0;
    halt();
    if (running) return;
    if (!moments.length || moment.valueAsNumber === moments.length - 1) {
      choose();
      show();
    } else if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      step(); // a press is a moment where nothing is to move by itself
    }
    halt = pause;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || moments.length === 1) return;
    button.setAttribute("aria-pressed", "true");
    timer = setInterval(step, PAUSE);
  };

  choice.replaceChildren(
    ...lines.map((one) => new Option(one.textContent.slice(0, one.textContent.indexOf(" =")))),
  );
  moments = momentsOf(of());
  moment.max = moment.value = String(moments.length - 1);
  button.addEventListener("click", play);
  choice.addEventListener("change", () => {
    choose();
    show();
  });
  moment.addEventListener("input", () => {
    halt();
    halt = pause;
    show();
  });
  picture.addEventListener("click", ({ target }) => {
    const key = /** @type {HTMLElement} */ (target).closest("td")?.dataset.cell;
    const at = lines.findIndex((one) => one.dataset.of === key);
    if (at < 0) return;
    choice.selectedIndex = at;
    choose();
    play();
    show();
  });
  motion.hidden = false;
};

switchLanguage();
for (const motion of document.querySelectorAll(".motion")) move(/** @type {HTMLElement} */ (motion));
addEventListener("beforeprint", () => {
  halt();
  clear(); // on paper stands the page, at no moment of a motion
});
