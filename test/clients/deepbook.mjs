// The official DeepBook client reads a pool.
import { DeepBookClient } from '@mysten/deepbook-v3';
import { client, print } from './lib.mjs';

const book = new DeepBookClient({ client, network: 'mainnet', address: '0x' + '0'.repeat(63) + '7' });
const pool = 'SUI_USDC';

print({
	mid: await book.midPrice(pool),
	sell: await book.getQuoteQuantityOut(pool, 10),
	buy: await book.getBaseQuantityOut(pool, 10),
	sellInputFee: await book.getQuoteQuantityOutInputFee(pool, 10),
	buyInputFee: await book.getBaseQuantityOutInputFee(pool, 10),
	out: await book.getQuantityOut(pool, 10, 0),
	quoteIn: await book.getQuoteQuantityIn(pool, 3, true),
	baseIn: await book.getBaseQuantityIn(pool, 3, true),
	depth: await book.getLevel2TicksFromMid(pool, 3),
	range: await book.getLevel2Range(pool, 0.5, 5, true),
	trade: await book.poolTradeParams(pool),
	params: await book.poolBookParams(pool),
	whitelisted: await book.whitelisted('DEEP_SUI'),
	vault: await book.vaultBalances(pool),
	deepPrice: await book.getPoolDeepPrice(pool),
	id: await book.poolId(pool),
});
