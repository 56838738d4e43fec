import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import dashboard from '../vite.config';

const { build, experimental } = dashboard;

/**
 * Builds the template of the help: one page with its style and script, which scripts/docs/build.mjs fills with each
 * page. The search is a separate file, which is fetched when the search is used.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  ...(experimental === undefined ? {} : { experimental }),
  build: {
    ...build,
    outDir: fileURLToPath(new URL('../../dist/public/help', import.meta.url)),
    rolldownOptions: {},
  },
});
