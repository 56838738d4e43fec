import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The browser tests use the built dashboard. Fails early without it. */
export default function requireBuild(): void {
  if (!existsSync(join(__dirname, '../../dist/public/index.html'))) {
    throw new Error('dist/public is missing: run "npm run build" first');
  }
}
