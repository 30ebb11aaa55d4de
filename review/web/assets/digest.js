// Computes the digest of a transaction from its bytes, so that neither the server nor the wallet
// must be trusted for it.
const MASK = 2n ** 64n - 1n;
const IV = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const SIGMA = [
  '0123456789abcdef', 'ea489fd61c02b753', 'b8c052fdae367194', '7931dcbe265a40f8', '905724afe1bc683d',
  '2c6a0b834d75fe19', 'c51fed4a0763928b', 'db7ec13950f4862a', '6fe9b308c2d714a5', 'a2847615fb9e3cd0',
].map((row) => [...row].map((digit) => parseInt(digit, 16)));

const turn = (x, n) => ((x >> n) | (x << (64n - n))) & MASK;

function mix(v, a, b, c, d, ...words) {
  for (const [i, [r, s]] of [[32n, 24n], [16n, 63n]].entries()) {
    v[a] = (v[a] + v[b] + words[i]) & MASK;
    v[d] = turn(v[d] ^ v[a], r);
    v[c] = (v[c] + v[d]) & MASK;
    v[b] = turn(v[b] ^ v[c], s);
  }
}

export function blake2b256(bytes) {
  const h = [...IV];
  h[0] ^= 0x01010020n;
  for (let end = 128; ; end += 128) {
    const last = end >= bytes.length;
    const block = new Uint8Array(128);
    block.set(bytes.subarray(end - 128, end));
    const m = new BigUint64Array(block.buffer);
    const v = [...h, ...IV];
    v[12] ^= BigInt(last ? bytes.length : end);
    if (last) v[14] ^= MASK;
    for (let round = 0; round < 12; round++) {
      const s = SIGMA[round % 10];
      for (let i = 0; i < 8; i++) {
        const lean = i >> 2; // first columns, then diagonals
        mix(v, i % 4, 4 + ((i + lean) % 4), 8 + ((i + 2 * lean) % 4), 12 + ((i + 3 * lean) % 4), m[s[2 * i]], m[s[2 * i + 1]]);
      }
    }
    for (let i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
    if (last) return new Uint8Array(BigUint64Array.from(h.slice(0, 4)).buffer);
  }
}

const tagged = (tag, bytes) => blake2b256(Uint8Array.from([...new TextEncoder().encode(tag), ...bytes]));

// digestOf returns the 32-byte digest of a transaction.
export const digestOf = (transaction) => tagged('TransactionData::', transaction);

// commitmentOf returns a value that identifies a digest without revealing it.
export const commitmentOf = (digest) => Array.from(tagged('say-ur-intent/commitment/v1', digest),
  (byte) => byte.toString(16).padStart(2, '0')).join('');

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

export function base58(bytes) {
  let text = '';
  for (let n = bytes.reduce((all, byte) => all * 256n + BigInt(byte), 0n); n; n /= 58n) text = BASE58[n % 58n] + text;
  return '1'.repeat(bytes.findIndex((byte) => byte)) + text;
}

export const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
