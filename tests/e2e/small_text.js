// Text that is seen and is smaller than 12 px on the screen: one line for each size and place. Empty where none is.
() => {
  const found = new Set();
  const nameOf = (node) =>
    `${node.localName}.${node.className?.baseVal ?? node.className}`.trim().replaceAll(/\s+/g, ".");
  const visit = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.shadowRoot) visit(node.shadowRoot);
      const parent = node.parentElement;
      if (
        node.nodeType !== Node.TEXT_NODE ||
        !node.nodeValue.trim() ||
        !parent?.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      )
        continue;
      if (
        parent.closest("style, script, .mha-unseen, .unseen, [data-testid='stIconMaterial'], .katex-mathml")
      )
        continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (box.width < 2 || box.height < 2) continue;
      const matrix = parent.getScreenCTM?.();
      const scale = matrix ? Math.hypot(matrix.b, matrix.d) : 1; // a drawing may be scaled as a whole
      const size = Number.parseFloat(getComputedStyle(parent).fontSize) * scale;
      if (size < 11.95)
        found.add(`${size.toFixed(1)} px: ${nameOf(parent)} “${node.nodeValue.trim().slice(0, 24)}”`);
    }
  };
  visit(document.body);
  return [...found];
};
