// Draws the same weights as the page Models does and as others do, and says how long that took: from the bytes, which
// are in the browser by then, to the last frame in which anything was drawn.

import { unpacked } from "/web/kit/binary.js";
import { element } from "/web/kit/dom.js";
import { HeadsOverview } from "/web/models/overview/heads_overview.js";
import { readRun } from "/web/models/runs.js";
import { Colours } from "/web/models/theme_colours.js";
import { START } from "/web/models/view_address.js";

const REST = 400; // ms without anything new, after which a picture is finished

const text = (bytes) => new TextDecoder().decode(bytes);
const script = (source) => element("script", {}, source);

/** Each takes the bytes, and the place where it has drawn others before: it draws all of it, or only what is new. */
const TOOLS = {
  async ours() {
    const words = await (await fetch("/words")).json();
    const colours = new Colours(() => {});
    const overview = new HeadsOverview({ go: () => {} }, words, colours);
    const page = element("div", { class: "bench models" }, overview.root, colours.root);
    return (bytes, place) => {
      if (!page.isConnected) place.append(page);
      const none = { head: "", by: "", only: "" };
      overview.update(readRun(unpacked(bytes)), { ...START, head: [0, 0] }, null, none);
    };
  },
  async BertViz() {
    const [jquery, d3, source] = await Promise.all(
      ["jquery.js", "d3.js", "bertviz.js"].map(async (name) => (await fetch(`/peers/${name}`)).text()),
    );
    document.head.append(script(jquery), script(d3));
    window.require = { config: () => {} };
    window.requirejs = (_, run) => run(window.jQuery, window.d3);
    return (bytes, place) => {
      place.replaceChildren(element("div", { id: "bertviz" }, element("div", { id: "vis" })));
      document.head.append(script(source.replace("PYTHON_PARAMS", () => text(bytes))));
    };
  },
  async CircuitsVis() {
    document.head.append(script(await (await fetch("/peers/circuitsvis.js")).text()));
    const { CircuitsVis } = window;
    return (bytes, place) => {
      place.replaceChildren(element("div", { id: "circuitsvis" }));
      CircuitsVis.render("circuitsvis", CircuitsVis.AttentionHeads, JSON.parse(text(bytes)));
    };
  },
  async Inspectus() {
    document.head.append(script(await (await fetch("/peers/inspectus.js")).text()));
    return (bytes, place) => {
      place.replaceChildren(element("div", { id: "inspectus" }));
      const colour = ["attention_matrix", "query_token_heatmap", "key_token_heatmap", "dimension_heatmap"];
      const colours = Object.fromEntries(colour.map((name) => [name, "blue"]));
      window.chartsEmbed("inspectus", JSON.parse(text(bytes)), colours, "light");
    };
  },
};

let stirred = 0;
const stir = () => {
  stirred = performance.now();
};

/** Notice whatever is drawn: nodes of the page, and numbers painted into canvases. */
function watch() {
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver(stir).observe(document.body, everything);
  for (const { prototype } of [CanvasRenderingContext2D, WebGL2RenderingContext])
    for (const name of [
      "putImageData",
      "drawImage",
      "fillRect",
      "fill",
      "stroke",
      "drawArrays",
      "drawElements",
    ]) {
      const draw = prototype[name];
      if (draw)
        prototype[name] = function (...given) {
          stir();
          return draw.apply(this, given);
        };
    }
}

/** A frame has been painted. */
const painted = () =>
  new Promise((resolve) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(0);
    }),
  );

/**
 * Draw, until nothing new is drawn any more; how many milliseconds it took.
 * @param {(bytes: ArrayBuffer, place: HTMLElement) => void} draw
 * @param {ArrayBuffer} bytes
 * @param {HTMLElement} place
 */
async function drawn(draw, bytes, place) {
  await painted();
  const begin = performance.now();
  draw(bytes, place);
  let [seen, end] = [0, begin];
  do {
    await painted();
    if (stirred > seen) end = performance.now();
    seen = stirred;
  } while (performance.now() - end < REST);
  return end - begin;
}

/**
 * Get a tool ready: its scripts are there, a short sentence has been drawn, and the bytes of another are there too.
 * What comes back draws that, and says how long it took.
 * @param {string} tool
 */
export async function prepared(tool) {
  const draw = await TOOLS[tool]();
  const place = element("main", {});
  document.body.append(place);
  watch();
  const [short, bytes] = await Promise.all(
    ["short", "data"].map(async (which) => (await fetch(`/${which}/${tool}`)).arrayBuffer()),
  );
  await drawn(draw, short, place);
  return () => drawn(draw, bytes, place);
}
