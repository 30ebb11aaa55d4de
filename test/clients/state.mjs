// The official client reads the chain: identity, coins, objects and errors.
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { client, print, refusal, seed } from './lib.mjs';

const owner = Ed25519Keypair.fromSecretKey(seed).toSuiAddress();
const { objects: coins } = await client.core.listCoins({ owner });
const {
	objects: [clock, missing, coin],
} = await client.core.getObjects({
	objectIds: ['0x6', '0x999', coins[0].objectId],
	include: { content: true, objectBcs: true },
});
const { cursor, hasNextPage } = await client.core.listCoins({ owner, limit: 2 });
const second = await client.core.listCoins({ owner, limit: 2, cursor });

print({
	owner,
	chain: await client.core.getChainIdentifier(),
	gasPrice: await client.core.getReferenceGasPrice(),
	systemState: await client.core.getCurrentSystemState(),
	balance: await client.core.getBalance({ owner }),
	balances: (await client.core.listBalances({ owner })).balances,
	coins,
	pages: { hasNextPage, then: second.objects.length, last: !second.hasNextPage },
	sui: await client.core.getCoinMetadata({ coinType: '0x2::sui::SUI' }),
	clock,
	missing: missing.message,
	coin,
	function: await client.core.getMoveFunction({
		packageId: '0x0e735f8c93a95722efd73521aca7a7652c0bb71ed1daf41b26dfd7d1ff71f748',
		moduleName: 'pool',
		name: 'swap_exact_base_for_quote',
	}),
	unsupported: await refusal(client.core.listDynamicFields({ parentId: '0x6' })),
	noName: await client.core.resolveNameServiceAddress({ name: 'nobody.sui' }),
});
