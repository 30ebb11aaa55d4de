// The official clients build a swap without resolved objects, sign it, execute it and read it. They
// then execute a swap that cannot return its minimum.
import { DeepBookClient } from '@mysten/deepbook-v3';
import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction, TransactionDataBuilder } from '@mysten/sui/transactions';
import { client, print, refusal, seed } from './lib.mjs';

const keypair = Ed25519Keypair.fromSecretKey(seed);
const address = keypair.toSuiAddress();
const book = new DeepBookClient({ client, network: 'mainnet', address });

function swap(amount, deepAmount, minOut) {
	const tx = new Transaction();
	tx.setSender(address);
	const coins = tx.add(
		book.deepBook.swapExactBaseForQuote({ poolKey: 'SUI_USDC', amount, deepAmount, minOut }),
	);
	tx.transferObjects([...coins], address);
	return tx;
}

const include = { effects: true, balanceChanges: true, events: true, transaction: true, bcs: true, objectTypes: true };
const bytes = await swap(10.05, 2, 1).build({ client });
const { signature } = await keypair.signTransaction(bytes);
const executed = await client.core.executeTransaction({ transaction: bytes, signatures: [signature], include });
const read = await client.core.getTransaction({ digest: executed.Transaction.digest, include });
const parsed = bcs.TransactionEffects.parse(read.Transaction.effects.bcs);

const unbuilt = await refusal(swap(10, 0, 1_000_000).build({ client }));

// The plain builder: split, merge and transfer with only a sender named.
const plain = new Transaction();
plain.setSender(address);
const [first, rest] = plain.splitCoins(plain.gas, [1000, 500]);
plain.mergeCoins(first, [rest]);
plain.transferObjects([first], '0x' + '0'.repeat(63) + '9');
const sent = await keypair.signAndExecuteTransaction({ transaction: plain, client });

print({
	bytes,
	signature,
	digest: TransactionDataBuilder.getDigestFromBytes(bytes),
	executed: executed.Transaction,
	read: read.Transaction,
	parsed,
	unbuilt,
	sent: (sent.Transaction ?? sent.FailedTransaction).status,
	received: await client.core.getBalance({ owner: '0x' + '0'.repeat(63) + '9' }),
});
