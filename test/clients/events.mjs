// Decodes events with the layouts that the official DeepBook package generated
// from the contract. They are only in its sources, so they are bundled first.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const contracts = './node_modules/@mysten/deepbook-v3/src/contracts/deepbook/';
const bundled = await build({
	stdin: {
		contents: `export { OrderFilled, OrderFullyFilled, OrderInfo, OrderPlaced } from '${contracts}order_info.ts';
			export { OrderCanceled } from '${contracts}order.ts';
			export { BalanceEvent, BalanceManagerEvent } from '${contracts}balance_manager.ts';`,
		resolveDir: fileURLToPath(new URL('.', import.meta.url)),
	},
	bundle: true,
	format: 'esm',
	platform: 'node',
	write: false,
	logLevel: 'error',
});
const layouts = await import('data:text/javascript;base64,' + Buffer.from(bundled.outputFiles[0].contents).toString('base64'));

const events = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(
	JSON.stringify(
		events.map(({ name, bcs }) => {
			const value = layouts[name].parse(Uint8Array.from(Buffer.from(bcs, 'base64')));
			// Encoding the value must return the same bytes, so nothing was left over or misread.
			return { name, value, same: Buffer.from(layouts[name].serialize(value).toBytes()).toString('base64') === bcs };
		}),
	),
);
