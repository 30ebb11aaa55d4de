// The official GraphQL client queries the sandbox for a balance, objects and a simulation;
// the faucet client funds an address; the gRPC client follows the checkpoints.
import { SuiGraphQLClient } from '@mysten/sui/graphql';
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { client, print, refusal, seed } from './lib.mjs';

const url = process.argv[2];
const graph = new SuiGraphQLClient({ url: url + '/graphql', network: 'localnet' });
const keypair = Ed25519Keypair.fromSecretKey(seed);
const address = keypair.toSuiAddress();
const friend = '0x' + '0'.repeat(62) + '77';

const funded = await requestSuiFromFaucetV2({ host: url, recipient: friend });

const following = new AbortController();
const stream = client.subscriptionService.subscribeCheckpoints(
	{ readMask: { paths: ['sequence_number', 'digest', 'transactions.digest'] } },
	{ abort: following.signal },
);
const seen = [];
let sent;
for await (const one of stream.responses) {
	seen.push({ cursor: one.cursor, number: one.checkpoint.sequenceNumber, transactions: one.checkpoint.transactions.map((t) => t.digest) });
	if (seen.length === 1) {
		const pay = new Transaction();
		pay.setSender(address);
		pay.transferObjects([pay.splitCoins(pay.gas, [1000])[0]], friend);
		const done = await keypair.signAndExecuteTransaction({ transaction: pay, client });
		sent = done.Transaction.digest;
	}
	if (seen.some((s) => s.transactions.includes(sent))) break;
}
following.abort();

const tx = new Transaction();
tx.setSender(address);
tx.transferObjects([tx.splitCoins(tx.gas, [1000])[0]], friend);
const bytes = await tx.build({ client: graph });

print({
	funded,
	seen,
	sent,
	balance: await graph.core.getBalance({ owner: friend }),
	object: await graph.core.getObject({ objectId: '0x6', include: { content: true } }),
	missing: await refusal(graph.core.getObject({ objectId: '0x' + 'ab'.repeat(32) })),
	bytes: bytes.length,
	simulated: await graph.core.simulateTransaction({ transaction: bytes, include: { effects: true, balanceChanges: true, commandResults: true } }),
});
