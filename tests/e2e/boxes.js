// What of Explore lies over something else, sticks out, or is cut off: sentences that name it. Empty where all is in its place.
() => {
  const host = [...document.querySelectorAll("*")].find((node) => node.shadowRoot?.querySelector(".bench"));
  const bench = host.shadowRoot.querySelector(".bench");
  const isWide = innerWidth > 720; // on a phone wide tables scroll
  const all = (selector) => [...bench.querySelectorAll(selector)].filter((node) => node.checkVisibility());
  const nameOf = (node) =>
    `${node.className?.baseVal ?? node.className} “${node.textContent.trim().slice(0, 20)}”`;
  const found = [];
  const textOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  for (const figure of all(".tables figure")) figure.style.contentVisibility = "visible"; // as if all were in view

  const texts = `.overview :is(.key, .overview-token, .look, h3, .typing, .top, .map-top, .map-query, .overview-taken p),
    .overview .map-keys span, .tables th .label, .tables td[data-key], .tables .shape, figcaption .symbol, .head-title h3`;
  for (const node of all(texts)) {
    if (!node.textContent.trim()) continue;
    const style = getComputedStyle(node);
    const [box, text] = [node.getBoundingClientRect(), textOf(node)];
    const isCut =
      style.overflow === "hidden" &&
      (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 3);
    if (isCut)
      found.push(
        `cut off: ${nameOf(node)} ${node.scrollWidth} × ${node.scrollHeight} in ${node.clientWidth} × ${node.clientHeight}`,
      );
    else if (style.display !== "inline" && (text.left < box.left - 1.5 || text.right > box.right + 1.5))
      found.push(`sticks out: ${nameOf(node)}`);
    if (Number.parseFloat(style.fontSize) < 11.99) found.push(`small: ${nameOf(node)} ${style.fontSize}`);
  }

  // Names and numbers in a line, one below or beside the other: a text's box has some air above and below its letters.
  const rows = (selector, along) => {
    for (const list of all(selector)) {
      const boxes = [...list.children]
        .filter(
          (node) =>
            node.textContent.trim() &&
            node.checkVisibility() &&
            getComputedStyle(node).visibility === "visible",
        )
        .map((node) => textOf(node))
        .sort((one, other) => one[along.from] - other[along.from]);
      for (const [at, box] of boxes.slice(1).entries())
        if (boxes[at][along.to] - box[along.from] > along.air * boxes[at].height + 0.5)
          found.push(`overlap in ${nameOf(list)} at ${at}`);
    }
  };
  rows(".keys, .tops, .map-queries, .map-tops", { from: "top", to: "bottom", air: 0.22 });
  rows(".map-keys, .tables thead tr", { from: "left", to: "right", air: 0 });
  for (const row of all(".overview-tokens .overview-row")) {
    const [name, bars] = [row.querySelector("button"), row.querySelector(".bars")];
    if (
      bars?.checkVisibility() &&
      name.getBoundingClientRect().right > bars.getBoundingClientRect().left + 0.5
    )
      found.push(`name over bars: ${nameOf(name)}`);
  }
  for (const bars of all(".bars")) {
    const [box, column] = [bars, bars.closest(".overview-tokens, .overview-taken")].map((node) =>
      node.getBoundingClientRect(),
    );
    if (box.right > column.right + 1 || box.left < column.left - 1) found.push("bars stick out");
  }

  // Pictures and tables beside each other.
  const apart = (selector) => {
    const boxes = all(selector).map((node) => [node, node.getBoundingClientRect()]);
    for (const [at, [one, a]] of boxes.entries())
      for (const [other, b] of boxes.slice(at + 1))
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
          found.push(`over each other: ${nameOf(one)} and ${nameOf(other)}`);
  };
  apart(".overview-name, .overview .typing");
  if (isWide) {
    apart(".tables figure table");
    apart(".overview-rows, .overview-lines, .overview-map");
    const edge = bench.querySelector(".tables").getBoundingClientRect().right;
    for (const table of all(".tables figure table"))
      if (table.getBoundingClientRect().right > edge + 1) found.push(`cut off: ${table.ariaLabel}`);
    for (const scroller of all(".overview-heads, .tables"))
      if (scroller.scrollWidth > scroller.clientWidth + 1)
        found.push(`scrolls sideways: ${scroller.className}`);
  }
  for (const figure of all(".tables figure")) figure.style.contentVisibility = "";
  return { found: [...new Set(found)], heads: all(".head-title").length };
};
