// Two AI clients of the same server, using the official MCP client. The user connects a wallet for one
// and reviews a request of the other. The server is killed in between. Arguments: the program, a data
// directory, the node's URL.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { execFileSync } from 'node:child_process';
import { print } from './lib.mjs';
import { pageOf } from './page.mjs';

const [, , program, dir, node] = process.argv;
const account = '0x0881c07520943bbf13989b92892093c1b50672156fa5f873c22892701cb2e207';
const wallet = { walletName: 'Sandbox test wallet', walletId: 'say-ur-intent-sandbox' };
const env = { PATH: process.env.PATH, HOME: process.env.HOME ?? '/', SAY_UR_INTENT_DATA_DIR: dir, SUI_GRPC_URL: node };
const serverOf = () => JSON.parse(execFileSync(program, ['status', '--json'], { env })).servers[0]?.pid;

async function start(name) {
	const transport = new StdioClientTransport({
		command: program,
		args: ['--network', 'sandbox'],
		env,
	});
	const client = new Client({ name, version: '1.0.0' });
	await client.connect(transport);
	const call = async (tool, args = {}) => {
		const { tools } = await (client.listed ??= client.listTools());
		const spelled = tools.find((t) => t.name === tool || t.name === tool.replace('.', '_'))?.name;
		const answer = await client.callTool({ name: spelled, arguments: args });
		if (answer.isError) throw new Error(`${tool}: ${answer.content[0].text}`);
		return answer.structuredContent.data;
	};
	return { client, call };
}

const first = await start('first-client');
const second = await start('second-client');
const before = [await first.call('read.get_server_status'), await second.call('read.get_server_status')];

// Connect a wallet for the first client while the second waits for it.
const identity = await first.call('session.create_wallet_identity');
const heard = second.call('session.wait_wallet_identity', { walletSessionId: identity.walletSessionId });
const connecting = await pageOf(identity.walletUrl);
const state = `/api/wallet/${connecting.id}/state`;
await connecting.ask('POST', state, { status: 'connecting', ...wallet });
await connecting.ask('POST', state, { status: 'connected', account, chain: 'sui:localnet', ...wallet });
const connected = await heard;

// Review a request of the second client on the same pages.
const review = await second.call('action.prepare_sui_action_review', {
	intent: { type: 'swap', from: { symbol: 'SUI', amount: '10' }, to: { symbol: 'USDC' }, maxSlippageBps: 50, protocol: 'deep' },
});
const page = await pageOf(review.reviewUrl);

// Kill the server. The tab and both clients must continue with the next one.
const killed = serverOf();
if (!killed) throw new Error('status names no server'); // 0 would be all processes here
process.kill(killed, 'SIGKILL');
const after = [await first.call('read.get_server_status'), await second.call('read.get_server_status')];
const next = serverOf();

const shown = await page.computed();
await page.sign(shown);
const result = await second.call('session.wait_execution_result', { reviewSessionId: review.reviewSessionId });

// A third client connects.
const third = await start('third-client');
const joined = await third.call('read.get_server_status');
const receipt = await third.call('session.get_review_status', { reviewSessionId: review.reviewSessionId });
await Promise.all([first, second, third].map((c) => c.client.close()));

print({
	before: before.map((s) => [s.reviewPages, s.reviewPagesOrigin]), connected: connected.status,
	reviewOrigin: page.origin, killed, next, after: after.map((s) => [s.reviewPages, s.reviewPagesOrigin]),
	ready: shown.status, result: result.status, digest: result.executionResult?.txDigest,
	joined: joined.reviewPagesOrigin, receipt: receipt.pollingStatus,
});
