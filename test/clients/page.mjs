// Acts as a tab with a page, for scripts that play the user.
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

// pageOf opens a link as a browser's tab does.
export async function pageOf(link) {
	const url = new URL(link);
	const [kind, id] = url.pathname.slice(1).split('/');
	let token = '';
	const ask = async (method, path, body) => {
		const answer = await fetch(url.origin + path, {
			method,
			headers: { ...(body && { 'Content-Type': 'application/json' }), ...(token && { Authorization: `Bearer ${token}` }) },
			body: body && JSON.stringify(body),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
		return text ? JSON.parse(text) : {};
	};
	({ token } = await ask('POST', '/api/exchange', { kind, id, code: url.hash.slice(1) }));
	const path = `/api/review/${id}`;

	// computed has the review computed, and returns its state.
	async function computed() {
		let shown = await ask('GET', `${path}/state`);
		await ask('POST', `${path}/compute`, { revision: shown.revision });
		const begin = performance.now();
		do {
			await pause(20);
			shown = await ask('GET', `${path}/state`);
		} while ((shown.computing || shown.status === 'wallet_connected') && performance.now() - begin < 20000);
		return shown;
	}

	// sign has the sandbox's test wallet sign what a state shows.
	async function sign({ revision, commitment }) {
		const handed = await ask('POST', `${path}/handoff`, { revision, commitment });
		const signed = await ask('POST', '/sandbox/wallet/sign', { transaction: handed.transactionJson });
		await ask('POST', `${path}/signed`, { releaseNonce: handed.releaseNonce, bytes: signed.bytes, signature: signed.signature });
	}
	return { origin: url.origin, id, ask, computed, sign };
}
