import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The browser tests look at what is shipped: fails early when it is not built. */
export default function requireBuild(): void {
  if (!existsSync(join(__dirname, '../../dist/public/index.html'))) {
    throw new Error('dist/public is missing: run "npm run build" first');
  }
}
