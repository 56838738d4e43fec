import { fileURLToPath } from 'node:url';
import { defineConfig, type RenderBuiltAssetUrl } from 'vite';
import { uplotSubset } from './uplot-subset';

// A test that starts the build may set another value, but the result must not depend on it.
process.env['NODE_ENV'] = 'production';

const service = 'http://127.0.0.1:3000';

/** `h(…)` is shorter than the automatic runtime's calls, and both use the same sources. */
const jsx = {
  jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment', development: false },
  jsxInject: `import { h, Fragment } from 'preact'`,
} as const;

/**
 * Scripts and styles refer to other files by relative URL, so that they work under a path prefix. The service writes
 * the URLs in the page.
 */
const fromItsFile: RenderBuiltAssetUrl = (_, { hostType }) => (hostType === 'html' ? undefined : { relative: true });

/**
 * Builds the dashboard into the folder that the service serves. Nothing is inlined, because the CSP doesn't allow
 * inline code.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [uplotSubset()],
  oxc: jsx,
  experimental: { renderBuiltUrl: fromItsFile },
  build: {
    outDir: fileURLToPath(new URL('../dist/public', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
    // One script file for what the first page needs, and one for each part of the dashboard: sign-in, endpoints with
    // their form, settings, and the rest. uPlot is separate, because it rarely changes. A part is fetched when one of its
    // pages is opened, and the others soon after. Each more part costs about 2 KiB, because small files compress worse.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'uplot', test: /uPlot\.esm/, priority: 3 },
            { name: 'first', tags: ['$initial'], priority: 2 },
            { name: 'door', test: /pages.sign-in/, priority: 1.9 },
            {
              name: 'endpoint',
              test: /pages.(endpoint|add-many|website|certificates)|components.(check|endpoint|heartbeat)\b/,
              priority: 1.8,
            },
            { name: 'settings', test: /pages.settings/, priority: 1.6 },
            { name: 'pages', test: /\.tsx?$/, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': service, '/auth': service, '/status': service, '/favicon.svg': service } },
});
