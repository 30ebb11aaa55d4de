// npm run burner: bundles the third-party wallet as one script without imports.
import { build } from 'esbuild';

await build({
	entryPoints: ['burner.entry.mjs'],
	outfile: 'dist/burner.js',
	bundle: true,
	format: 'iife',
	platform: 'browser',
	target: 'es2022',
	minify: true,
	legalComments: 'none',
	logLevel: 'warning',
});
