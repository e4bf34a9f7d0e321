// The walkthrough as the page has it: a lecturer's, with the address bar and a room for those who follow.

import { mounting } from "../kit/mount.js";
import { Lecturer } from "./lecture/lecturer.js";
import { Walk } from "./walk.js";

export default mounting(
  ({ parentElement, data }) => new Walk(parentElement, (walk) => new Lecturer(walk), data),
);
