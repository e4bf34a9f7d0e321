/** The address bar of a page whose address does not hold the work, such as a phone's. */
export const NO_ADDRESS = { keep() {}, flush() {}, stop() {} };
