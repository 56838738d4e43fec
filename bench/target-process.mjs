import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts `bench/target.mjs` with this number of sites: `{ url, stop() }`. */
export async function startTarget(sites) {
  const program = fileURLToPath(new URL('target.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, '--sites', String(sites)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${String(line).trim()}`, stop: () => child.kill('SIGTERM') };
}
