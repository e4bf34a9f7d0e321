// Which stage of the computation a small screen's bar names.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lookedAt } from "../../web/explore/viewport.js";

const SIGHT = { top: 300, bottom: 700 };

test("the stage is named that has been gone to, be it shorter than the next one or scrolled a little further", () => {
  assert.equal(lookedAt([0, 306, 400, 900], SIGHT), 1);
  assert.equal(lookedAt([0, 270, 420, 900], SIGHT), 1);
});

test("else the one that most of the upper part shows, though a rest of the one before is seen", () => {
  assert.equal(lookedAt([50, 380, 900], SIGHT), 1);
  assert.equal(lookedAt([-900, 100, 650], SIGHT), 1);
  assert.equal(lookedAt([-900, 440, 750], SIGHT), 1); // all of it is seen, and less of the one before
  assert.equal(lookedAt([600, 900], SIGHT), 0); // nothing has begun
  assert.equal(lookedAt([-900, -300], SIGHT), 1);
});
