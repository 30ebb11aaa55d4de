// An MCP client of an official TypeScript SDK: sdk.mjs PACKAGE MODE COMMAND, where
// the package is @modelcontextprotocol/sdk (1) or @modelcontextprotocol/client (2), and
// the mode, of 2 alone, legacy (a handshake) or auto (no handshake where the server
// can do without). It prints the tools that it was listed, then, for each call that it reads, what came
// back: one document a line.
import { createInterface } from 'node:readline';

const [, , name, mode, command, ...args] = process.argv;
const [main, stdio] = name.endsWith('/sdk') ? ['/client/index.js', '/client/stdio.js'] : ['', '/stdio'];
const { Client } = await import(name + main);
const { StdioClientTransport } = await import(name + stdio);
const client = new Client({ name, version: '1' }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command, args, stderr: 'inherit' }));
// Once listed, every answer is checked against its tool's output schema.
const { tools } = await client.listTools();
console.log(JSON.stringify(tools.map((t) => t.name)));
for await (const line of createInterface({ input: process.stdin })) {
	console.log(JSON.stringify(await client.callTool(JSON.parse(line))));
}
await client.close();
