// npm run bundle: bundles the scripts for browsers, without imports: the third-party wallet and the
// host of cards.
import { build } from 'esbuild';

await build({
	entryPoints: { burner: 'burner.entry.mjs', cardhost: 'cardhost.entry.mjs' },
	outdir: 'dist',
	bundle: true,
	format: 'iife',
	platform: 'browser',
	target: 'es2022',
	minify: true,
	legalComments: 'none',
	logLevel: 'warning',
});
