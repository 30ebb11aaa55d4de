// Preloaded when the bundle is packed: mcpb writes the present time into every file of
// it. The present time is the commit's here, so that the same commit packs the same file.
"use strict";

const at = Number(process.env.SOURCE_DATE_EPOCH) * 1000;
if (!Number.isFinite(at)) throw new Error("SOURCE_DATE_EPOCH is no number of seconds");

globalThis.Date = class extends Date {
  constructor(...args) {
    super(...(args.length === 0 ? [at] : args));
  }
};
