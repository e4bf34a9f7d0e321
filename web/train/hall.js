// Before an audience: the page is drawn for it, and the space bar plays the recording.

import { isBeforeAudience, onAudienceChange } from "../kit/audience.js";
import { Keys } from "../kit/keys.js";

/** @param {Element} root @param {{ show: () => void; play: () => void }} host @param {AbortSignal} signal */
export function beforeAudience(root, { show, play }, signal) {
  const keys = new Keys();
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (!isBeforeAudience() || keys.read(event, true)?.move !== "play") return;
    event.preventDefault();
    play();
  };
  const dress = () => root.classList.toggle("in-hall", isBeforeAudience());
  dress();
  onAudienceChange(dress, signal);
  onAudienceChange(show, signal);
  window.addEventListener("keydown", onKey, { signal });
}
