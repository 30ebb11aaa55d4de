// A second verifier of record files, written only from docs/RECORD.md. For each file it prints the
// problems, and what wallets signed.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { blake2b } from '@noble/hashes/blake2.js';

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const blake256 = (...parts) => blake2b(Buffer.concat(parts), { dkLen: 32 });
const ZERO = '0'.repeat(64);
const HASH = /^[0-9a-f]{64}$/;

// signer returns the account that signed a personal message with Ed25519, or throws.
function signer(message, base64) {
	const raw = Buffer.from(base64, 'base64');
	if (raw.toString('base64') !== base64 || raw[0] !== 0 || raw.length !== 97) throw new Error('not an Ed25519 signature');
	const text = Buffer.from(message);
	const length = [];
	for (let n = text.length; ; n >>= 7) {
		length.push(n < 128 ? n : (n & 127) | 128);
		if (n < 128) break;
	}
	const digest = blake256(Buffer.from([3, 0, 0, ...length]), text);
	const prefix = Buffer.from('302a300506032b6570032100', 'hex');
	const key = createPublicKey({ key: Buffer.concat([prefix, raw.subarray(65)]), format: 'der', type: 'spki' });
	if (!verify(null, digest, key, raw.subarray(1, 65))) throw new Error('the signature does not fit');
	return '0x' + Buffer.from(blake256(Buffer.from([0]), raw.subarray(65))).toString('hex');
}

const STATEMENT = new RegExp(String.raw`^Say Ur Intent asks you to sign its record of your requests\.

Chain: ([0-9a-f]{64})
Entry: ([1-9][0-9]*)
Hash: ([0-9a-f]{64})

Signing this moves nothing, pays nothing and allows nothing\.
Sign it only if you started it yourself, on a page of your own computer \(http://127\.0\.0\.1\)\.

Purpose: say-ur-intent/sign-record
Signed by: (0x[0-9a-f]{64})
Time: \S+
$`);

// check returns the problems of a file, as [line, sentence], and the signed heads.
function check(file) {
	const bytes = readFileSync(file);
	const problems = [];
	const signed = [];
	const chains = new Map(); // id to {number, hash, hashes}
	const names = new Map(); // chain/number/field to commitment
	const sum = createHash('sha256');
	let last = null; // the chain of the latest entry
	let at = 0;
	let ended = false;
	let entriesOver = false;
	const problem = (text) => problems.push([at, text]);

	const entry = (e, hash) => {
		if (entriesOver) problem(`entry ${e.number} comes after other lines`);
		let chain = chains.get(e.chain);
		if (!chain) {
			const after = e.about?.after;
			if (e.what === 'begun' && last && (!after || after.chain !== last.id || after.number !== last.number || after.hash !== last.hash)) {
				problem('the chain does not follow the one before it');
			}
			if (e.what === 'begun' && !last && after) problem('the previous chain is missing');
			chain = { id: e.chain, number: 0, hash: ZERO, hashes: new Map() };
			chains.set(e.chain, chain);
		} else if (chain !== last) problem(`entry ${e.number} is out of order`);
		if (e.number <= chain.number) problem(`entry ${e.number} is out of order`);
		else if (e.number > chain.number + 1) problem(`entry ${chain.number + 1} is missing`);
		else if (e.previous !== chain.hash) problem(`entry ${e.number} does not follow the one before it`);
		else if ((e.number === 1) !== (e.what === 'begun')) problem(`entry ${e.number} is not where chains begin`);
		if (e.number > chain.number) Object.assign(chain, { number: e.number, hash });
		chain.hashes.set(e.number, hash);
		for (const [field, commitment] of Object.entries(e.names ?? {})) names.set(`${e.chain}/${e.number}/${field}`, commitment);
		last = chain;
	};
	const lines = {
		'say-ur-intent record 1': () => at === 1 || problem('a second first line'),
		entry,
		signature: (s) => {
			entriesOver = true;
			const [, id, number, hash, account] = STATEMENT.exec(s.message) ?? [];
			if (!id || signer(s.message, s.signature) !== account) return problem('another account signed');
			const chain = chains.get(id);
			if (chain?.hashes.get(Number(number)) !== hash) return problem(`entry ${number} is missing or not the one that was signed`);
			return signed.push({ chain: id, number: Number(number), account });
		},
		name: (n) => {
			entriesOver = true;
			const commitment = sha256(Buffer.concat([Buffer.from(n.salt, 'hex'), Buffer.from(n.name)]));
			if (!HASH.test(n.salt) || names.get(`${n.chain}/${n.number}/${n.field}`) !== commitment) problem(`the name of entry ${n.number} is another one`);
		},
		end: (e) => {
			ended = true;
			if (e.lines !== at - 1 || e.hash !== sum.copy().digest('hex')) problem('the lines before the last one are not those that were written');
		},
	};

	for (let from = 0; from < bytes.length;) {
		const feed = bytes.indexOf(10, from);
		const line = bytes.subarray(from, feed < 0 ? bytes.length : feed);
		at += 1;
		from += line.length + 1;
		const hash = line.subarray(0, 64).toString('latin1');
		const text = line.subarray(65);
		if (ended) problem('text after the last line');
		else if (feed < 0 || line[64] !== 32 || !HASH.test(hash) || sha256(text) !== hash) problem('this line was changed');
		else {
			try {
				const value = JSON.parse(text);
				if (at === 1 && value.kind !== 'say-ur-intent record 1') problem('the first line is missing');
				(lines[value.kind] ?? (() => problem('a line of an unknown kind')))(value, hash);
			} catch (error) {
				problem(error.message);
			}
		}
		sum.update(bytes.subarray(from - line.length - 1, from));
	}
	if (!ended) problem('the last line is missing');
	return { problems, signed, entries: [...chains.values()].reduce((n, { hashes }) => n + hashes.size, 0) };
}

console.log(JSON.stringify(process.argv.slice(2).map(check)));
