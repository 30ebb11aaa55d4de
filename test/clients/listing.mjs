// The official client lists events, page by page and newest first.
import { client, print, refusal } from './lib.mjs';

const [, , , , eventType, sender] = process.argv;
const first = await client.core.listEvents({ filter: { eventType }, limit: 2 });
const second = await client.core.listEvents({ filter: { eventType }, limit: 2, after: first.endCursor });
const newest = await client.core.listEvents({ filter: { sender }, limit: 1, order: 'descending' });

print({
	first,
	second,
	newest,
	module: (await client.core.listEvents({ filter: { eventType: eventType.replace(/::[^:]*$/, '') } })).events.length,
	refused: await refusal(client.core.listEvents({ after: 'AA==' })),
});
