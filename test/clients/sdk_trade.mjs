// The official DeepBook client uses a balance manager: deposits, places orders, changes
// and cancels them, trades at the market price, withdraws, and reads everything. No object is resolved
// before the client builds a transaction.
import { DeepBookClient } from '@mysten/deepbook-v3';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { client, print, refusal, seed } from './lib.mjs';

const keypair = Ed25519Keypair.fromSecretKey(seed);
const address = keypair.toSuiAddress();
const manager = process.argv[4];
const book = new DeepBookClient({
	client,
	network: 'mainnet',
	address,
	balanceManagers: { OWN: { address: manager } },
});
const pool = 'SUI_USDC';

async function carry(...calls) {
	const tx = new Transaction();
	tx.setSender(address);
	for (const call of calls) tx.add(call);
	const bytes = await tx.build({ client });
	const { signature } = await keypair.signTransaction(bytes);
	const done = await client.core.executeTransaction({ transaction: bytes, signatures: [signature], include: { effects: true, events: true } });
	const { status, events } = done.Transaction ?? done.FailedTransaction;
	return { status: status.success ? 'success' : status.error.message, events: events.map((e) => e.eventType.split('::').slice(1).join('::')) };
}

const { balanceManager, deepBook } = book;
const order = (clientOrderId, price, quantity) =>
	deepBook.placeLimitOrder({ poolKey: pool, balanceManagerKey: 'OWN', clientOrderId, price, quantity, isBid: false, payWithDeep: false });
const sizes = async () => {
	const ids = await book.accountOpenOrders(pool, 'OWN');
	return Promise.all([...ids].map(async (id) => Number((await book.getOrder(pool, id)).quantity)));
};

const steps = {};
steps.deposit = await carry(balanceManager.depositIntoManager('OWN', 'SUI', 50));
const held = await client.core.getObject({ objectId: manager, include: { content: true } });
const bag = '0x' + Buffer.from(held.object.content.slice(64, 96)).toString('hex');
const listed = await client.core.listDynamicFields({ parentId: bag });
steps.fields = listed.dynamicFields.map((f) => ({ id: f.fieldId, type: f.name.type }));
const field = await client.core.getDynamicField({ parentId: bag, name: listed.dynamicFields[0].name });
steps.field = { id: field.dynamicField.fieldId, value: field.dynamicField.value.bcs };
steps.place = await carry(order('1', 9.5, 10), order('2', 9.6, 5), order('3', 9.7, 4));
const placed = await book.accountOpenOrders(pool, 'OWN');
steps.read = await book.getOrder(pool, placed[0]);
steps.normal = await book.getOrderNormalized(pool, placed[0]);
steps.modify = await carry(deepBook.modifyOrder(pool, 'OWN', placed[0], 6));
steps.afterModify = await sizes();
steps.cancel = await carry(deepBook.cancelOrder(pool, 'OWN', placed[0]));
steps.cancelSome = await carry(deepBook.cancelOrders(pool, 'OWN', [placed[1]]));
steps.afterCancel = await sizes();
steps.cancelAll = await carry(deepBook.cancelAllOrders(pool, 'OWN'));
steps.afterAll = await sizes();
steps.market = await carry(deepBook.placeMarketOrder({ poolKey: pool, balanceManagerKey: 'OWN', clientOrderId: '4', quantity: 10, isBid: false, payWithDeep: false }));
steps.settled = await carry(deepBook.withdrawSettledAmounts(pool, 'OWN'));
steps.balance = await book.checkManagerBalance('OWN', 'SUI');
steps.usdc = await book.checkManagerBalance('OWN', 'USDC');
steps.withdraw = await carry(balanceManager.withdrawFromManager('OWN', 'SUI', 1, address));
steps.all = await carry(balanceManager.withdrawAllFromManager('OWN', 'SUI', address));
steps.after = await book.checkManagerBalance('OWN', 'SUI');
steps.gone = await book.getOrder(pool, placed[0]); // null: the order is not there any more
steps.again = await refusal(carry(deepBook.cancelOrder(pool, 'OWN', placed[0])));

print(steps);
