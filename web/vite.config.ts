import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { uplotSubset } from './uplot-subset';

// Whoever starts the build (a test, for example) may carry another value around; what is shipped is always the same.
process.env['NODE_ENV'] = 'production';

const service = 'http://127.0.0.1:3000';

/** `h(…)` is shorter than the automatic runtime's calls; the source does not see the difference. */
const jsx = {
  jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment', development: false },
  jsxInject: `import { h, Fragment } from 'preact'`,
} as const;

/** Builds the dashboard into the directory the service serves. Nothing is inlined, so that the strict CSP holds. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [uplotSubset()],
  oxc: jsx,
  build: {
    outDir: fileURLToPath(new URL('../dist/public', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
    // Its own file: it changes with uPlot only. Both are fetched at once.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'uplot', test: /uPlot\.esm/ }] } } },
  },
  server: { proxy: { '/api': service, '/auth': service, '/status': service, '/favicon.svg': service } },
});
