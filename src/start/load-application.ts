import { join } from 'node:path';
import { ModuleBundle, ModuleLoader } from './module-bundle';

/** Whoever asks Node for these watches or changes how modules are loaded: then they are loaded one by one. */
const WATCHERS = /(^|\s)(-r|--require|--import|--(experimental-)?loader|--enable-source-maps)\b/;

/** What is loaded here from the bundle is what `require` and `import` find from then on. `entry`: a file of dist, without its ending. */
export function loadFromBundle(entry: 'app' | 'start/run-probe'): void {
  const isWatched = WATCHERS.test([...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' '));
  const dist = join(__dirname, '..');
  const bundle = isWatched ? null : ModuleBundle.open(join(dist, 'bundle'), join(dist, '..'));
  if (bundle !== null) new ModuleLoader(bundle).load(join(dist, `${entry}.js`));
}
