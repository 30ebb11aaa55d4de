// Does the main job with an installed program, like an AI client over standard input and output:
// node main-job.mjs VERSION PROGRAM [ARGUMENT...]. With VERSION --bundle FOLDER, it starts the
// program that Claude Desktop would start for that bundle on the sandbox, with default settings.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const [version, first, ...more] = process.argv.slice(2);
const fail = (text) => {
  console.error(`main-job: ${text}`);
  process.exit(1);
};

let start = { command: first, args: more, env: {} };
let promised;
if (first === "--bundle") {
  const { getMcpConfigForManifest, hasRequiredConfigMissing } = createRequire(import.meta.url)("@anthropic-ai/mcpb");
  const manifest = JSON.parse(readFileSync(`${more[0]}/manifest.json`, "utf8"));
  if (hasRequiredConfigMissing({ manifest, userConfig: {} })) fail("the form's defaults are not enough to start");
  start = await getMcpConfigForManifest({
    manifest, extensionPath: more[0], systemDirs: {}, userConfig: { network: "sandbox" }, pathSeparator: "/",
  });
  promised = manifest.tools.map((tool) => tool.name);
}
if (JSON.stringify(start).includes("${")) fail(`something is left unreplaced: ${JSON.stringify(start)}`);

const child = spawn(start.command, start.args, { env: { ...process.env, ...start.env }, stdio: ["pipe", "pipe", "pipe"] });
let complaints = "";
child.stderr.on("data", (data) => (complaints += data));
const waiting = new Map();
createInterface({ input: child.stdout }).on("line", (line) => {
  const frame = JSON.parse(line); // anything but a frame on standard output is an error
  waiting.get(frame.id)?.(frame);
});
child.on("error", (error) => fail(`${start.command}: ${error.message}`));
child.on("exit", (code) => waiting.size > 0 && fail(`it ended with ${code}: ${complaints}`));
setTimeout(() => fail(`it took too long: ${complaints}`), 60_000).unref();

let next = 0;
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = ++next;
    waiting.set(id, (frame) => {
      waiting.delete(id);
      if (frame.error) fail(`${method}: ${frame.error.message}`);
      resolve(frame.result);
    });
    child.stdin.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
  });
const call = async (name, args) => {
  const result = await ask("tools/call", { name, arguments: args });
  if (result.isError) fail(`${name} refused: ${result.content[0].text}`);
  return result.structuredContent.data;
};

const hello = await ask("initialize", {
  protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "dist-check", version: "1" },
});
const said = hello.serverInfo.version;
if (!said.startsWith(`${version}+g`)) fail(`it says version ${said}, not ${version} with its commit`);
child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');

const { tools } = await ask("tools/list", {});
const names = tools.map((tool) => tool.name);
if (!names.includes("action_prepare_sui_action_review")) fail(`it lists ${names}`);
if (promised && promised.join() !== names.join()) fail("the bundle's manifest names other tools than the program lists");

// Connect the test wallet through the pages' API, like the user.
const session = await call("session_create_wallet_identity", {});
const link = new URL(session.walletUrl);
const page = async (path, body, token) => {
  const answer = await fetch(link.origin + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) fail(`${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : {};
};
const [kind, id] = link.pathname.slice(1).split("/");
const { token } = await page("/api/exchange", { kind, id, code: link.hash.slice(1) });
const wallet = { walletName: "Sandbox test wallet", walletId: "say-ur-intent-sandbox" };
const account = readFileSync(new URL("../internal/web/assets/sandbox.js", import.meta.url), "utf8").match(/0x[0-9a-f]{64}/)[0];
await page(`/api/wallet/${id}/state`, { status: "connecting", ...wallet }, token);
await page(`/api/wallet/${id}/state`, { status: "connected", account, chain: "sui:localnet", ...wallet }, token);
const identity = await call("session_wait_wallet_identity", { walletSessionId: id });
if (identity.status !== "connected") fail(`the wallet is ${identity.status}`);

const review = await call("action_prepare_sui_action_review", {
  intent: { type: "swap", from: { symbol: "SUI", amount: "10" }, to: { symbol: "USDC" }, maxSlippageBps: 50, protocol: "deep" },
});
if (!review.reviewUrl.startsWith("http://127.0.0.1:")) fail(`the review's link is ${review.reviewUrl}`);
console.log(`${said}: ${names.length} tools; a swap is prepared for review`);
child.kill("SIGTERM");
