import { resolve } from 'node:path';
import { EmbeddedPostgres } from './embedded-postgres';

let early: { readonly directory: string; readonly engine: Promise<EmbeddedPostgres> } | null = null;

/**
 * Starts a directory's engine in its own thread while this thread loads the application. Each of them takes half a
 * second. Resolves as soon as the engine's thread needs nothing more from this thread. `engineOf` reports errors.
 */
export async function startEarly(directory: string, sync: boolean): Promise<void> {
  const engine = EmbeddedPostgres.start({ directory, sync });
  engine.catch(() => {});
  early = { directory: resolve(directory), engine };
  await new Promise((done) => setImmediate(done));
}

/**
 * Returns the engine for a directory, either the one that was started early or a new one. Throws the same errors as
 * `EmbeddedPostgres.start`.
 */
export function engineOf(directory: string, sync: boolean): Promise<EmbeddedPostgres> {
  if (early?.directory !== resolve(directory)) return EmbeddedPostgres.start({ directory, sync });
  const { engine } = early;
  early = null;
  return engine;
}
