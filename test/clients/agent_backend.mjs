// A small agent backend and a small frontend, as other programs of a user. The backend requests
// actions and follows its stream. The frontend receives what is pending, approves the first and
// declines the second.
const [origin, backend, frontend] = process.argv.slice(2);

const headers = (token) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });

const post = (path, token, body) => fetch(origin + path, { method: 'POST', headers: headers(token), body: JSON.stringify(body) });

// events yields server-sent events as they arrive.
async function* events(response) {
	let text = '';
	for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
		text += chunk;
		for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
			const event = {};
			for (const line of text.slice(0, end).split('\n')) {
				const at = line.indexOf(': ');
				if (at > 0) event[line.slice(0, at)] = line.slice(at + 2);
			}
			if (event.event) yield { ...event, data: JSON.parse(event.data) };
		}
	}
}

const messages = async (body) => {
	const all = [];
	for await (const event of events(await post('/api/agent/messages', frontend, body))) all.push(event);
	return all;
};

const add = (id, title) => ({
	id,
	type: 'add_address_book',
	title: `Add ${title}`,
	params: { entries: [{ title, address: '0x' + '5a'.repeat(32), chain: 'Sui' }] },
	auto_execute: true,
});

const stream = await fetch(`${origin}/api/agent/stream`, { headers: { authorization: `Bearer ${backend}` } });
const accepted = await post('/api/agent/actions', backend, { actions: [add('yes', 'Alice'), add('no', 'Bob')] });
const out = { status: accepted.status, accepted: (await accepted.json()).accepted, offered: [], said: [], results: [] };

const work = (await messages({ poll: true })).find((event) => event.event === 'actions');
for (const [i, action] of work.data.actions.entries()) {
	out.offered.push(action.title);
	const report = { action: action.type, action_id: action.id, success: i === 0, ...(i === 0 ? { data: {} } : { error: 'user_rejected' }) };
	const answer = (await messages({ action_result: report })).find((event) => event.event === 'message');
	out.said.push(answer.data.action_result.success);
}
for await (const event of events(stream)) {
	if (event.event === 'action_result') out.results.push(event.data.action_result);
	if (out.results.length === 2) break;
}
process.stdout.write(JSON.stringify(out));
process.exit(0);
