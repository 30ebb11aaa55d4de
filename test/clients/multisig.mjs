// With "make", the official SDK creates multisig accounts and signatures of their members. With "check",
// it verifies combined signatures that another program made, one per line of input.
import { fromBase64, toBase64 } from '@mysten/sui/utils';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { Secp256r1Keypair } from '@mysten/sui/keypairs/secp256r1';
import { MultiSigPublicKey } from '@mysten/sui/multisig';
import { verifyTransactionSignature } from '@mysten/sui/verify';

// random is reproducible. A linear generator is good enough to choose the shapes of accounts.
let state = 44;
const random = (below) => {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return Math.floor((state / 2 ** 32) * below);
};
const kinds = [Ed25519Keypair, Secp256k1Keypair, Secp256r1Keypair];
const accountOf = ({ members, threshold }) => MultiSigPublicKey.fromPublicKeys({
	threshold, publicKeys: members.map(({ keypair, weight }) => ({ publicKey: keypair.getPublicKey(), weight })),
});

async function set(n) {
	const members = Array.from({ length: 1 + random(10) }, (_, i) => ({
		keypair: kinds[random(3)].fromSecretKey(new Uint8Array(32).fill(1 + ((n * 10 + i) % 250))), weight: 1 + random(3),
	}));
	const sum = members.reduce((all, { weight }) => all + weight, 0);
	const threshold = 1 + random(sum);
	const account = accountOf({ members, threshold });
	const bytes = new Uint8Array(40).fill(n % 256);
	const order = members.map((_, i) => i).sort(() => random(3) - 1);
	const signing = [];
	for (let weight = 0; weight < threshold;) {
		const i = order[signing.length];
		signing.push(i);
		weight += members[i].weight;
	}
	const sign = (list) => Promise.all(list.map(async (i) => (await members[i].keypair.signTransaction(bytes)).signature));
	const signatures = await sign(signing);
	return {
		account: account.toSuiAddress(), threshold, bytes: toBase64(bytes), signatures,
		// The chain requires the order of the members. The SDK keeps the given order.
		combined: account.combinePartialSignatures(await sign(signing.toSorted((a, b) => a - b))),
		members: members.map(({ keypair, weight }) => ({ publicKey: keypair.getPublicKey().toSuiPublicKey(), weight })),
	};
}

if (process.argv[2] === 'make') {
	const sets = [];
	for (let n = 0; n < Number(process.argv[3]); n++) sets.push(await set(n));
	console.log(JSON.stringify(sets));
} else {
	let text = '';
	for await (const part of process.stdin) text += part;
	const answers = [];
	for (const { account, bytes, signature } of JSON.parse(text)) {
		answers.push(await verifyTransactionSignature(fromBase64(bytes), signature, { address: account })
			.then((key) => key.toSuiAddress(), (error) => String(error)));
	}
	console.log(JSON.stringify(answers));
}
