// What another page, or a reload, does not lose: the training that ended last in this browser, as a file, and the ticket of
// the one that runs.

import { ofBrowser } from "../kit/storage.js";

const TICKET = "mha.train.ticket";
const [NAME, FILES, KEY] = ["mha.train", "files", "last"];

/** The ticket of a training that may still run; null for none. */
export const ticketOfRunning = () => ofBrowser.text(TICKET);

/** @param {string | null} ticket */
export const keepTicket = (ticket) => ofBrowser.setText(TICKET, ticket);

/** Whether another page would find the training that runs. */
export const isFindable = () => ofBrowser.hasTaken(TICKET);

/** Whether the browser has taken it. @param {Blob} file */
export async function keep(file) {
  try {
    await asked("readwrite", (files) => files.put(file, KEY));
    return true;
  } catch {
    return false; // it forbids that, or is full
  }
}

/** What was kept; null where nothing was. @returns {Promise<Blob | null>} */
export async function kept() {
  try {
    return (await asked("readonly", (files) => files.get(KEY))) ?? null;
  } catch {
    return null;
  }
}

/** @type {(mode: IDBTransactionMode, ask: (files: IDBObjectStore) => IDBRequest) => Promise<any>} */
async function asked(mode, ask) {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(FILES);
  const base = await answer(opening);
  try {
    return await answer(ask(base.transaction(FILES, mode).objectStore(FILES)));
  } finally {
    base.close();
  }
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const answer = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
