// A phone that follows a lecture, without a browser, and the room's server.

import { ofBrowser } from "../../../web/kit/storage.js";
import { freshly, payload } from "./page.js";
import { looking, RoomServer, settled } from "./walking.js";

const AT_Q = {
  ...{ walk: "w1", step: "q", sub: "", predict: false, revealed: [] },
  ...{ dark: false, away: false, exercise: "", link: "" },
};

/**
 * A phone that has opened a room's address, and the room's server.
 * @param {{ path?: string; status?: number; stored?: Record<string, string>; walks?: object }} [how]
 */
export async function phone({ path = "follow/k7qf2m", status = 200, stored = {}, walks } = {}) {
  const server = new RoomServer(walks ?? { en: payload("en"), zh: payload("zh") });
  server.status = status;
  /** @type {any} */ (globalThis).happyDOM.setURL(`http://localhost/${path}`);
  for (const name of ofBrowser.names) ofBrowser.setText(name, null);
  for (const [name, text] of Object.entries(stored)) ofBrowser.setText(`mha.follow.${name}`, text);
  const [, words] = payload("page").match(/id="words">(.*?)<\/script>/s);
  document.documentElement.dataset.language = "en";
  document.documentElement.removeAttribute("data-asking");
  document.body.innerHTML = '<div id="follow"></div><script type="application/json" id="words"></script>';
  /** @type {any} */ (document.getElementById("words")).textContent = words;
  await freshly("audience/follow.js");
  await settled();
  const page = looking(document.body);
  return {
    ...page,
    server,
    says: () => page.text(".status"),
    state: () => document.documentElement.dataset.state,
    go: (/** @type {object} */ place) => server.send("place", { ...AT_Q, ...place }),
    ask: (/** @type {object} */ question) =>
      server.send("question", { question: 1, open: true, text: "", choices: [], cell: null, ...question }),
    press: async (/** @type {string} */ name) => {
      const [node] = page.all("button").filter(({ textContent }) => textContent === name);
      node.click();
      await settled();
    },
  };
}

/** The same, at the place of the projector. @param {Parameters<typeof phone>[0]} [how] */
export async function following(how) {
  const page = await phone(how);
  await page.server.send("listener", { listener: "me" });
  await page.go({});
  return page;
}
