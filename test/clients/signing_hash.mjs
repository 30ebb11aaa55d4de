// Prints, for each transaction, the hash that the official SDK has wallets sign, in hexadecimal.
import { blake2b } from '@noble/hashes/blake2.js';
import { messageWithIntent } from '@mysten/sui/cryptography';
import { text } from 'node:stream/consumers';

const transactions = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(transactions.map((base64) => {
	const message = messageWithIntent('TransactionData', Buffer.from(base64, 'base64'));
	return Buffer.from(blake2b(message, { dkLen: 32 })).toString('hex');
})));
