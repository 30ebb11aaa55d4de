// Shared by the scripts: arguments, the client under test, JSON with bigints.
import { SuiGrpcClient } from '@mysten/sui/grpc';

const [, , baseUrl, format = 'text'] = process.argv;

// The default transport is gRPC-web text. The argument "binary" selects the binary one.
export const client = new SuiGrpcClient({
	network: 'localnet',
	baseUrl,
	...(format === 'binary' ? { format: 'binary' } : {}),
});

// The genesis account of the sandbox: the public test key of 32 bytes 0x11.
export const seed = new Uint8Array(32).fill(0x11);

export function print(value) {
	process.stdout.write(
		JSON.stringify(value, (_, v) => {
			if (typeof v === 'bigint') return v.toString();
			if (v instanceof Uint8Array) return Buffer.from(v).toString('base64');
			return v;
		}),
	);
}

export async function refusal(promise) {
	try {
		await promise;
		return null;
	} catch (error) {
		return { name: error.constructor.name, code: error.code ?? null, message: error.message };
	}
}
