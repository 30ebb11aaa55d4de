// Preloaded into mcpb, which gives every file of a bundle the current time. This sets the current
// time to that of the commit, so that packing is reproducible.
"use strict";

const at = Number(process.env.SOURCE_DATE_EPOCH) * 1000;
if (!Number.isFinite(at)) throw new Error("SOURCE_DATE_EPOCH is no number of seconds");

globalThis.Date = class extends Date {
  constructor(...args) {
    super(...(args.length === 0 ? [at] : args));
  }
};
