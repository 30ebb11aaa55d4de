// An MCP client that uses an official TypeScript SDK: sdk.mjs PACKAGE MODE COMMAND. The package is
// @modelcontextprotocol/sdk (version 1) or @modelcontextprotocol/client (version 2). The mode applies
// to version 2 only: legacy uses a handshake, and auto uses none if the server supports that. It
// prints the listed tools, then reads calls and prints the result of each. Each document is on one line.
import { createInterface } from 'node:readline';

const [, , name, mode, command, ...args] = process.argv;
const [main, stdio] = name.endsWith('/sdk') ? ['/client/index.js', '/client/stdio.js'] : ['', '/stdio'];
const { Client } = await import(name + main);
const { StdioClientTransport } = await import(name + stdio);
const client = new Client({ name, version: '1' }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command, args, stderr: 'inherit' }));
// After the list, the SDK checks each result against the output schema of its tool.
const { tools } = await client.listTools();
console.log(JSON.stringify(tools.map((t) => t.name)));
for await (const line of createInterface({ input: process.stdin })) {
	console.log(JSON.stringify(await client.callTool(JSON.parse(line))));
}
await client.close();
