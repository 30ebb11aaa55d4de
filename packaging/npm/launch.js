#!/usr/bin/env node
// Starts the program for this system, which npm installed as an optional dependency of this package,
// and exits with its exit code or signal. It downloads nothing.
"use strict";

const { spawn } = require("node:child_process");

const system = `${process.platform}-${process.arch}`;
const args = process.argv.slice(2);
// An AI client passes only flags, or no arguments, and gets the small program, because each client
// keeps one running. A user types a command, or no arguments in a terminal.
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

// Handle signals before starting the program, because one may arrive while it starts.
let child;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}

// The program inherits standard input, output and error, so no data passes through this process.
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
