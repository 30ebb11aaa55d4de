// The official client grants an allowance, finds it by its cap, and revokes it. It also creates a cap
// of a balance manager and revokes that.
import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { client, print, seed } from './lib.mjs';

const keypair = Ed25519Keypair.fromSecretKey(seed);
const address = keypair.toSuiAddress();
const [, , , , coin, spender, end, manager, deepbook] = process.argv;
const framework = '0x2';
const balance = `${framework}::balance::Balance<${coin}>`;

async function carry(tx) {
	tx.setSender(address);
	const bytes = await tx.build({ client });
	const { signature } = await keypair.signTransaction(bytes);
	const done = await client.core.executeTransaction({
		transaction: bytes,
		signatures: [signature],
		include: { effects: true, objectTypes: true },
	});
	const { status, effects, objectTypes } = done.Transaction ?? done.FailedTransaction;
	await client.core.waitForTransaction({ digest: (done.Transaction ?? done.FailedTransaction).digest });
	const made = (name) => effects.changedObjects.find((c) => c.idOperation === 'Created' && objectTypes[c.objectId]?.includes(name));
	return {
		status: status.success ? 'success' : status.error.message,
		deleted: effects.changedObjects.filter((c) => c.idOperation === 'Deleted').length,
		made,
	};
}

function option(inner, value) {
	return bcs.option(inner).serialize(value);
}

const grant = new Transaction();
const none = grant.moveCall({
	target: '0x1::option::none',
	typeArguments: [`${framework}::allowance::RateLimit`],
});
grant.moveCall({
	target: `${framework}::allowance::new`,
	typeArguments: [balance],
	arguments: [
		grant.pure.string('Trading agent'),
		grant.pure.address(spender),
		grant.pure(option(bcs.u256(), 100_000_000n)),
		grant.pure(option(bcs.u64(), null)),
		grant.pure(option(bcs.u64(), end)),
		none,
	],
});
const granted = await carry(grant);
const allowance = granted.made('::allowance::Allowance<')?.objectId;

const listed = await client.core.listOwnedObjects({ owner: address, type: `${framework}::allowance::AllowanceCap<${balance}>` });
const held = listed.objects[0]?.objectId;

const revoke = new Transaction();
revoke.moveCall({
	target: `${framework}::allowance::revoke`,
	typeArguments: [balance],
	arguments: [revoke.object(held), revoke.object(allowance)],
});
const revoked = await carry(revoke);

const mint = new Transaction();
const [cap] = mint.moveCall({ target: `${deepbook}::balance_manager::mint_trade_cap`, arguments: [mint.object(manager)] });
mint.transferObjects([cap], spender);
const minted = await carry(mint);
const capId = minted.made('::balance_manager::TradeCap')?.objectId;

const drop = new Transaction();
drop.moveCall({
	target: `${deepbook}::balance_manager::revoke_trade_cap`,
	arguments: [drop.object(manager), drop.pure.id(capId)],
});
const dropped = await carry(drop);

print({
	granted: granted.status,
	listed: listed.objects.length,
	allowance,
	revoked: revoked.status,
	deleted: revoked.deleted,
	minted: minted.status,
	cap: capId,
	dropped: dropped.status,
});
