// The official host of MCP Apps, for a page that shows one card: host.show puts the frame up and
// passes a result to it. host.asked holds what the card requested from the host.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const host = { asked: [], ready: 0, opens: true };
globalThis.host = host;

host.show = async (source, sandbox, theme, args, result) => {
	await host.bridge?.close();
	document.querySelector('iframe')?.remove();
	const frame = document.createElement('iframe');
	frame.title = 'Card';
	frame.setAttribute('sandbox', sandbox);
	const bridge = new AppBridge(null, { name: 'host', version: '1' }, { openLinks: {} }, { hostContext: { theme } });
	Object.assign(host, { bridge, frame, asked: [], ready: 0 });
	bridge.onopenlink = async ({ url }) => {
		host.asked.push(['ui/open-link', url]);
		return { isError: !host.opens };
	};
	bridge.onsizechange = ({ height }) => {
		frame.style.height = `${height}px`;
		host.ready += 1;
	};
	bridge.fallbackRequestHandler = async (request) => {
		host.asked.push([request.method]);
		return {};
	};
	const begun = new Promise((done) => { bridge.oninitialized = done; });
	document.querySelector('main').append(frame);
	await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
	frame.src = source;
	await begun;
	await bridge.sendToolInput({ arguments: args });
	await bridge.sendToolResult(result);
};
