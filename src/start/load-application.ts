import { join } from 'node:path';
import { ModuleBundle, ModuleLoader } from './module-bundle';

/** Node options that watch or change how modules are loaded. With them, modules are loaded one by one. */
const WATCHERS = /(^|\s)(-r|--require|--import|--(experimental-)?loader|--enable-source-maps)\b/;

/**
 * Loads the modules from the bundle. `require` and `import` find them from then on. `entry` is a file of dist without
 * its extension.
 */
export function loadFromBundle(entry: 'app' | 'start/run-probe'): void {
  const isWatched = WATCHERS.test([...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' '));
  const dist = join(__dirname, '..');
  const bundle = isWatched ? null : ModuleBundle.open(join(dist, 'bundle'), join(dist, '..'));
  if (bundle !== null) new ModuleLoader(bundle).load(join(dist, `${entry}.js`));
}
