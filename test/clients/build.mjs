// npm run bundle: bundles what runs in browsers as scripts without imports: the third-party wallet,
// and the host of cards.
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
