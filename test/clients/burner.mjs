// Loads the bundled wallet into a bare window, as a page would, and lets it sign
// a whole swap: connect, sign the version-2 JSON, and sign and execute.
import { readFile } from 'node:fs/promises';
import { Transaction } from '@mysten/sui/transactions';
import { DeepBookClient } from '@mysten/deepbook-v3';
import { client, print } from './lib.mjs';

const [, , baseUrl, , faucet] = process.argv;
const random = crypto.getRandomValues;
globalThis.window = Object.assign(new EventTarget(), { location: { origin: 'http://127.0.0.1' } });
globalThis.__BURNER_NODE__ = baseUrl;
const wallets = [];
window.addEventListener('wallet-standard:register-wallet', (event) => {
	event.detail({ register: (...list) => wallets.push(...list) });
});
(0, eval)(await readFile(new URL('./dist/burner.js', import.meta.url), 'utf8'));

const wallet = wallets[0];
const { accounts } = await wallet.features['standard:connect'].connect();
const address = accounts[0].address;
await fetch(faucet, {
	method: 'POST',
	headers: { 'content-type': 'application/json' },
	body: JSON.stringify({ address }),
});

function swap() {
	const tx = new Transaction();
	tx.setSender(address);
	const book = new DeepBookClient({ client, network: 'mainnet', address });
	const coins = tx.add(
		book.deepBook.swapExactBaseForQuote({ poolKey: 'SUI_USDC', amount: 5, deepAmount: 0, minOut: 1 }),
	);
	tx.transferObjects([...coins], address);
	return tx;
}

// The transaction as a server releases it: fully resolved, as JSON.
const bytes = await swap().build({ client });
const json = await Transaction.from(bytes).toJSON();
const args = { account: accounts[0], chain: 'sui:localnet' };
const signed = await wallet.features['sui:signTransaction'].signTransaction({
	...args,
	transaction: { toJSON: async () => json },
});
const executed = await wallet.features['sui:signAndExecuteTransaction'].signAndExecuteTransaction({
	...args,
	transaction: { toJSON: async () => json },
});

print({
	names: wallets.map((w) => w.name),
	chains: wallet.chains,
	address,
	restored: crypto.getRandomValues === random,
	sameBytes: signed.bytes === Buffer.from(bytes).toString('base64'),
	signature: signed.signature,
	bytes: signed.bytes,
	digest: executed.digest,
	effects: executed.effects,
	status: (await client.core.getTransaction({ digest: executed.digest })).Transaction?.status ?? null,
});
