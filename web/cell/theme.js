// The colours of the notebook around this frame. The notebook says what colour its text has (mha_view/notebook/frame.py);
// without that, the colours are the system's.

/** @param {string} color as a stylesheet may have it */
function isLight(color) {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  if (!context) return false;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return red + green + blue > 1.5 * 255;
}

window.addEventListener("message", ({ source, data }) => {
  if (source !== window.parent || typeof data?.ink !== "string") return;
  const scheme = isLight(data.ink) ? "dark" : "light";
  const { style } = document.documentElement;
  if (style.colorScheme === scheme) return;
  style.colorScheme = scheme;
  window.dispatchEvent(new Event("mha-colors"));
});
