import { resolve } from 'node:path';
import { EmbeddedPostgres } from './embedded-postgres';

let early: { readonly directory: string; readonly engine: Promise<EmbeddedPostgres> } | null = null;

/**
 * Starts the engine of a directory in its thread while this thread loads the application. Each takes half a second.
 * Resolves as soon as the engine's thread needs nothing more from this one. Errors are reported by `engineOf`.
 */
export async function startEarly(directory: string, sync: boolean): Promise<void> {
  const engine = EmbeddedPostgres.start({ directory, sync });
  engine.catch(() => {});
  early = { directory: resolve(directory), engine };
  await new Promise((done) => setImmediate(done));
}

/**
 * Returns the engine of a directory, the one that was started early or a new one. Throws as `EmbeddedPostgres.start`
 * does.
 */
export function engineOf(directory: string, sync: boolean): Promise<EmbeddedPostgres> {
  if (early?.directory !== resolve(directory)) return EmbeddedPostgres.start({ directory, sync });
  const { engine } = early;
  early = null;
  return engine;
}
