// Injected into a page before its own scripts: the "Unsafe Burner Wallet" of
// @mysten/dapp-kit-core, announced through Wallet Standard. Its key comes from
// crypto.getRandomValues, which returns fixed bytes while the wallet is created, so that its account
// is the same in every document.
import { createDAppKit } from '@mysten/dapp-kit-core';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { getWallets, registerWallet } from '@mysten/wallet-standard';

function withFixedRandom(make) {
	const own = Object.getOwnPropertyDescriptor(crypto, 'getRandomValues');
	Object.defineProperty(crypto, 'getRandomValues', {
		configurable: true,
		value: (array) => {
			new Uint8Array(array.buffer, array.byteOffset, array.byteLength).fill(0x42);
			return array;
		},
	});
	try {
		make();
	} finally {
		if (own) Object.defineProperty(crypto, 'getRandomValues', own);
		else delete crypto.getRandomValues;
	}
}

withFixedRandom(() => {
	createDAppKit({
		networks: ['localnet'],
		// Without a node, the wallet can still sign transactions that are fully resolved.
		createClient: (network) =>
			new SuiGrpcClient({ network, baseUrl: globalThis.__BURNER_NODE__ ?? 'http://127.0.0.1:1' }),
		enableBurnerWallet: true,
		slushWalletConfig: null,
		autoConnect: false,
		storage: null,
	});
});

// The kit registers the wallet inside this bundle only: announce it to the page.
for (const wallet of getWallets().get()) {
	if (wallet.name === 'Unsafe Burner Wallet') registerWallet(wallet);
}
