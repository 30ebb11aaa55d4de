// The official GraphQL client lists transactions that the official gRPC client sent, in both
// directions, and reads one of them.
import { bcs } from '@mysten/sui/bcs';
import { SuiGraphQLClient } from '@mysten/sui/graphql';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { client, print, refusal, seed } from './lib.mjs';

const [, , url] = process.argv;
const keypair = Ed25519Keypair.fromSecretKey(seed);
const sender = keypair.toSuiAddress();
const graph = new SuiGraphQLClient({ network: 'localnet', url: url + '/graphql' });

const sent = [];
for (const amount of [1000, 2000, 3000]) {
	const tx = new Transaction();
	tx.setSender(sender);
	tx.transferObjects([tx.splitCoins(tx.gas, [amount])[0]], '0x' + '0'.repeat(63) + '9');
	const done = await keypair.signAndExecuteTransaction({ transaction: tx, client });
	sent.push((done.Transaction ?? done.FailedTransaction).digest);
}

const include = { effects: true, balanceChanges: true, events: true, bcs: true };
const digests = (page) => page.transactions.map((t) => (t.Transaction ?? t.FailedTransaction).digest);
const first = await graph.core.listTransactions({ filter: { sender }, limit: 2 });
const rest = await graph.core.listTransactions({ filter: { sender }, limit: 2, after: first.endCursor });
const newest = await graph.core.listTransactions({ filter: { sender }, limit: 1, order: 'descending', include });
const one = (await graph.core.getTransaction({ digest: sent[1], include })).Transaction;
const overGrpc = (await client.core.getTransaction({ digest: sent[1], include })).Transaction;

print({
	sent,
	first: digests(first),
	rest: digests(rest),
	more: [first.hasNextPage, rest.hasNextPage],
	newest: digests(newest),
	chain: (await graph.core.getChainIdentifier()).chainIdentifier,
	one: { balances: one.balanceChanges, bcs: one.bcs, effects: one.effects, status: one.status },
	grpc: { balances: overGrpc.balanceChanges, bcs: overGrpc.bcs, effects: overGrpc.effects, status: overGrpc.status },
	missing: await refusal(graph.core.getTransaction({ digest: bcs.ObjectDigest.parse(new Uint8Array([32, ...new Uint8Array(32)])) })),
});
