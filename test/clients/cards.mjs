// Prints what a client that shows cards receives over stdio: lists, cards, and the results of a whole
// job. It uses the official MCP client. Arguments: the program, a data directory.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { pageOf } from './page.mjs';

const [, , command, dir] = process.argv;
const account = '0x0881c07520943bbf13989b92892093c1b50672156fa5f873c22892701cb2e207';
const wallet = { walletName: 'Sandbox test wallet', walletId: 'say-ur-intent-sandbox' };
const cards = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

async function start(name, capabilities) {
	const client = new Client({ name, version: '1.0.0' }, { capabilities });
	await client.connect(new StdioClientTransport({
		command,
		args: ['--standalone', '--network', 'sandbox', '--open-browser=never'],
		env: { PATH: process.env.PATH, HOME: process.env.HOME ?? '/', SAY_UR_INTENT_DATA_DIR: `${dir}/${name}` },
	}));
	return { client, tools: (await client.listTools()).tools, resources: (await client.listResources()).resources };
}

const plain = await start('plain', {});
const read = await Promise.allSettled(['review', 'holdings', 'receipt']
	.map((name) => plain.client.readResource({ uri: `ui://say-ur-intent/${name}` })));
await plain.client.close();

const { client, tools, resources } = await start('cards', cards);
const shown = {};
for (const uri of new Set(tools.flatMap((t) => t._meta?.ui?.resourceUri ?? []))) {
	[shown[uri]] = (await client.readResource({ uri })).contents;
}
const answers = [];
const call = async (name, args) => {
	const tool = tools.find((t) => t.name === name);
	const result = await client.callTool({ name, arguments: args });
	answers.push({ tool: name, card: tool._meta?.ui?.resourceUri, args, result });
	return result.structuredContent?.data;
};
const swap = (amount) => ({
	intent: { type: 'swap', from: { symbol: 'SUI', amount }, to: { symbol: 'USDC' }, maxSlippageBps: 50, protocol: 'deep' },
});

const identity = await call('session_create_wallet_identity', {});
const connecting = await pageOf(identity.walletUrl);
const state = `/api/wallet/${connecting.id}/state`;
await connecting.ask('POST', state, { status: 'connecting', ...wallet });
await connecting.ask('POST', state, { status: 'connected', account, chain: 'sui:localnet', ...wallet });

await call('read_summarize_wallet_assets', {});
await call('action_prepare_sui_action_review', swap('100000')); // more than there is
const { reviewSessionId, reviewUrl } = await call('action_prepare_sui_action_review', swap('10'));
await call('session_get_execution_result', { reviewSessionId });
const page = await pageOf(reviewUrl);
const ready = await page.computed();
await call('session_get_review_status', { reviewSessionId });
await page.sign(ready);
await call('session_wait_execution_result', { reviewSessionId });
await call('session_get_review_status', { reviewSessionId });
await call('read_summarize_wallet_assets', {});
await client.close();

process.stdout.write(JSON.stringify({
	plain: { tools: plain.tools, resources: plain.resources, read: read.map((r) => r.reason?.code ?? null) },
	tools, resources, shown, answers,
}));
