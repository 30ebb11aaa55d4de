// FlowX's own client, unchanged but for the address that it asks: its constants,
// its tick arithmetic, and a quote.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AggregatorQuoter, ClmmPool, ClmmTickMath, CONFIGS, Coin, Protocol } from '@flowx-finance/sdk';

const [url, tokenIn, tokenOut, amountIn] = process.argv.slice(2);
const { fees, ticks } = JSON.parse(readFileSync(0, 'utf8'));

// The package does not export these constants, so read them from its source.
const text = readFileSync(fileURLToPath(import.meta.resolve('@flowx-finance/sdk')), 'utf8');
const pinned = (name) => {
  const hit = new RegExp(`mainnet: \\{[^}]*?packageId: '(0x[0-9a-f]{64})',\\s*poolRegistryObject:[^}]*?`).exec(text);
  const block = text.slice(hit.index, hit.index + 1200);
  return new RegExp(`${name}: '([^']+)'`).exec(block)[1];
};

const asked = CONFIGS.mainnet.quoter.singleQuoteURI;
CONFIGS.mainnet.quoter.singleQuoteURI = url + new URL(asked).pathname;
const quote = await new AggregatorQuoter('mainnet').getRoutes({
  tokenIn, tokenOut, amountIn, includeSources: [Protocol.FLOWX_V3], maxHops: 1,
});
const hop = quote.routes[0].paths[0];

const coins = [new Coin(tokenIn), new Coin(tokenOut)];
const pool = (fee) => new ClmmPool('0x1', coins, [], [0, 0], fee, '1', 0, '0', '0', '0');

process.stdout.write(JSON.stringify({
  asked,
  source: Protocol.FLOWX_V3,
  package: pinned('packageId'),
  registry: pinned('poolRegistryObject'),
  versioned: pinned('versionObject'),
  poolType: pinned('poolType'),
  coinX: pool(fees[0]).coinX.coinType,
  spacings: fees.map((fee) => pool(fee).tickSpacing),
  prices: ticks.map((tick) => ClmmTickMath.tickIndexToSqrtPriceX64(tick).toString()),
  ticks: ticks.map((tick) => ClmmTickMath.sqrtPriceX64ToTickIndex(ClmmTickMath.tickIndexToSqrtPriceX64(tick))),
  quote: {
    routes: quote.routes.length, hops: quote.routes[0].paths.length, amountIn: String(quote.amountIn), amountOut: String(quote.amountOut),
    pool: hop.pool.id, xForY: hop.xForY, fee: Number(hop.poolFee), config: hop.protocolConfig,
  },
}));
process.exit(0);
