// A motion as an animated SVG: what is written into it, and what is not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { drawing } from "../../web/walk/motion/motion_svg.js";
import { BAR, placed } from "../../web/walk/motion/tracks.js";

const step = (at, x, opacity) => ({ at, x, y: 10, scale: 1, stretch: 1, opacity });
const scenery = (text) => ({
  width: 200,
  height: 100,
  paper: "#ffffff",
  ink: "#000000",
  font: 'system-ui, "Noto Sans"',
  size: 16,
  lang: "en",
  title: text,
  line: text,
  patches: [
    { x: 0, y: 0, width: 20, height: 10, fill: "#eeeeee", tone: 0.5, bar: "#00ffff", stroke: "#ff0000" },
  ],
  labels: [{ x: 1, y: 2, text, size: 12, weight: "400", family: "", fill: "#000000" }],
  moving: [
    {
      look: "number",
      width: 20,
      height: 10,
      fill: "#ffffff",
      stroke: "",
      ink: "#000000",
      text,
      tone: 0,
      bar: "",
      steps: [step(0, 5, 0), step(0.5, 25, 1), step(1, 45, 0)],
    },
  ],
  duration: 1000,
  plane: null,
});

test("whatever a token is called is text, and never markup", () => {
  const text = drawing(scenery(`<script>alert("1")</script>&'\u0001`));
  assert.ok(!text.includes("<script"));
  assert.equal(text.split("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;").length, 6); // title twice, line, label, piece
  assert.ok(!text.includes("\u0001"));
});

test("a piece goes through its steps, and the end stands for a while before it begins again", () => {
  const text = drawing(scenery("3"));
  const [, values, times] = text.match(/type="translate" values="([^"]*)" keyTimes="([^"]*)"/);
  assert.equal(values, "5 10;25 10;45 10;45 10");
  assert.deepEqual(times.split(";").map(Number), [0, 0.2222, 0.4444, 1]); // 1.6 s of 3.6
  assert.match(text, /dur="3\.60s" repeatCount="indefinite"/);
});

test("a track in pixels: on the middle of a cell, beside it, and a bar as a piece of its width", () => {
  const boxes = { a: { x: 0, y: 0, width: 40, height: 20 }, b: { x: 100, y: 50, width: 60, height: 20 } };
  const boxOf = (on) => boxes[on];
  const number = placed(
    {
      look: "number",
      of: "a",
      text: "1",
      frames: [
        { at: 0, on: "a" },
        { at: 1, on: "b", dx: -0.5, dy: 1, opacity: 0 },
      ],
    },
    boxOf,
  );
  assert.deepEqual([number.width, number.height], [40, 20]);
  assert.deepEqual(
    number.steps.map(({ x, y, opacity }) => [x, y, opacity]),
    [
      [20, 10, 1],
      [100, 80, 0],
    ],
  );
  const bar = placed(
    {
      look: "bar",
      of: "b",
      text: "",
      frames: [
        { at: 0, on: "a", to: 0.5 },
        { at: 1, on: "b", from: 0.25, to: 0.75 },
      ],
    },
    boxOf,
  );
  assert.deepEqual(
    bar.steps.map(({ x, stretch }) => [x, stretch * BAR]),
    [
      [0, 20],
      [115, 30],
    ],
  );
});
