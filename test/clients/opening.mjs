// A client that uses the official MCP SDK requests links, and answers the server's questions according
// to BEHAVIOUR: opening.mjs PROGRAM CAPABILITIES BEHAVIOUR
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [, , program, capabilities, behaviour] = process.argv;
const asked = [];
const progress = [];
const client = new Client({ name: 'opening', version: '1' }, { capabilities: JSON.parse(capabilities) });
if (behaviour !== 'none') {
	client.setRequestHandler(ElicitRequestSchema, async (request) => {
		asked.push(request.params);
		// A user takes a while to read. A faster answer would come from the client itself.
		await new Promise((done) => setTimeout(done, 1000));
		if (behaviour === 'throw') throw new Error('the dialog broke');
		if (behaviour === 'never') return new Promise(() => {});
		return behaviour === 'accept' && request.params.mode !== 'url' ? { action: 'accept', content: {} } : { action: behaviour };
	});
}
await client.connect(new StdioClientTransport({ command: program, args: ['--network', 'sandbox'], env: process.env, stderr: 'inherit' }));
await client.listTools(); // so that results are checked against their schemas
const call = (name) => client.callTool({ name, arguments: {} }, undefined, { onprogress: (p) => progress.push(p.message) });
const first = await call('session.create_wallet_identity');
const second = await call('settings.create_local_settings_session');
process.stdout.write(JSON.stringify({ asked, progress, first, second }));
await client.close();
