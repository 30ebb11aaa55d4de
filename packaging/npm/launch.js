#!/usr/bin/env node
// Starts a program for this system, which npm installed beside this package as one of
// its optional dependencies, and ends as it ends. Nothing is downloaded.
"use strict";

const { spawn } = require("node:child_process");

const system = `${process.platform}-${process.arch}`;
const args = process.argv.slice(2);
// An AI client passes flags or nothing, and gets the small program: each client keeps one
// running. A person types a command, or nothing at a terminal.
const forClient = args.length === 0 ? !process.stdin.isTTY : args[0].startsWith("-");
const name = forClient ? "say-ur-intent-client" : "say-ur-intent";
const file = process.platform === "win32" ? `${name}.exe` : name;

let program;
try {
  program = require.resolve(`@sayurintent/${system}/bin/${file}`);
} catch {
  console.error(
    `say-ur-intent: the package @sayurintent/${system} is not installed.\n` +
      "There is one for Linux, macOS and Windows on x64 and arm64. If yours is one of them, npm left it out:\n" +
      "install again without --omit=optional (or --no-optional), and not from another system's node_modules.",
  );
  process.exit(1);
}

// A signal may come while the program is only starting, so they are awaited before.
let child;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}

// Standard input, output and error are the program's own: no byte passes through here.
child = spawn(program, args, { stdio: "inherit", windowsHide: true });

child.on("error", (error) => {
  console.error(`say-ur-intent: ${program} does not start: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    return;
  }
  process.exit(code);
});
