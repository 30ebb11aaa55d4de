// The official client builds, signs and executes withdrawals from the address balance:
// one that the node completes, one that redeems a coin, and a payment without gas.
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction, coinWithBalance } from '@mysten/sui/transactions';
import { client, print, seed } from './lib.mjs';

const keypair = Ed25519Keypair.fromSecretKey(seed);
const address = keypair.toSuiAddress();
const [, , , , type, recipient] = process.argv;

async function carry(tx) {
	tx.setSender(address);
	const bytes = await tx.build({ client });
	const { signature } = await keypair.signTransaction(bytes);
	const done = await client.core.executeTransaction({
		transaction: bytes,
		signatures: [signature],
		include: { effects: true, balanceChanges: true },
	});
	const { status, effects, balanceChanges } = done.Transaction ?? done.FailedTransaction;
	const { gasData, inputs } = Transaction.from(bytes).getData();
	return {
		status: status.success ? 'success' : status.error.message,
		payment: gasData.payment.length,
		withdrawals: inputs.filter((i) => i.FundsWithdrawal).length,
		gas: effects.gasUsed.computationCost,
		writes: effects.changedObjects.filter((c) => c.outputState === 'AccumulatorWriteV1').length,
		received: balanceChanges.find((c) => c.address === recipient)?.amount ?? null,
	};
}

function send(amount, module) {
	const tx = new Transaction();
	const input = tx.withdrawal({ amount, type });
	const [value] = tx.moveCall({ target: `0x2::${module}::redeem_funds`, typeArguments: [type], arguments: [input] });
	tx.moveCall({
		target: `0x2::${module}::send_funds`,
		typeArguments: [type],
		arguments: [value, tx.pure.address(recipient)],
	});
	return tx;
}

const steps = {};
steps.balance = await carry(send(30_000, 'balance'));
const coin = new Transaction();
coin.transferObjects([coin.add(coinWithBalance({ type, balance: 40_000 }))], recipient);
steps.coin = await carry(coin);

const { systemState } = await client.core.getCurrentSystemState();
const { chainIdentifier } = await client.core.getChainIdentifier();
const gasless = send(50_000, 'balance');
gasless.setGasPrice(0);
gasless.setGasBudget(0);
gasless.setGasPayment([]);
gasless.setExpiration({
	ValidDuring: {
		minEpoch: systemState.epoch,
		maxEpoch: systemState.epoch,
		minTimestamp: null,
		maxTimestamp: null,
		chain: chainIdentifier,
		nonce: 7,
	},
});
steps.gasless = await carry(gasless);
print(steps);
