import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import dashboard from '../vite.config';

const { oxc, build, experimental, server } = dashboard;

/** Builds the API reference separately from the dashboard, so that neither page loads the other's scripts. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/docs/',
  ...(oxc === undefined ? {} : { oxc }),
  ...(experimental === undefined ? {} : { experimental }),
  build: {
    ...build,
    outDir: fileURLToPath(new URL('../../dist/public/docs', import.meta.url)),
    rolldownOptions: {},
  },
  ...(server === undefined ? {} : { server }),
});
