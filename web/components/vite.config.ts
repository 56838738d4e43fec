import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import dashboard from '../vite.config';

const { oxc, build } = dashboard;

/**
 * The page of components, for people who change the dashboard: `npx vite web/components` shows it while you edit. It
 * isn't part of the service.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  ...(oxc === undefined ? {} : { oxc }),
  build: {
    ...build,
    outDir: fileURLToPath(new URL('../../.cache/components', import.meta.url)),
    rolldownOptions: {},
  },
});
