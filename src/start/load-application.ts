import { join } from 'node:path';
import { ModuleBundle, ModuleLoader } from './module-bundle';

/**
 * Matches Node options that observe or change how modules are loaded. If one is set, modules are loaded individually.
 */
const WATCHERS = /(^|\s)(-r|--require|--import|--(experimental-)?loader|--enable-source-maps)\b/;

/**
 * Loads the modules from the bundle. From then on, `require` and `import` find them. `entry` is the path of a file in
 * dist without its extension.
 */
export function loadFromBundle(entry: 'app' | 'start/run-probe'): void {
  const isWatched = WATCHERS.test([...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' '));
  const dist = join(__dirname, '..');
  const bundle = isWatched ? null : ModuleBundle.open(join(dist, 'bundle'), join(dist, '..'));
  if (bundle !== null) new ModuleLoader(bundle).load(join(dist, `${entry}.js`));
}
