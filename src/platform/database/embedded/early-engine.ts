import { resolve } from 'node:path';
import { EmbeddedPostgres } from './embedded-postgres';

let early: { readonly directory: string; readonly engine: Promise<EmbeddedPostgres> } | null = null;

/**
 * Starts the engine of a directory in its thread, while this thread loads the application: each takes half a second. Resolves
 * as soon as that thread has what it needs of this one. What goes wrong is told to whoever asks for the engine.
 */
export async function startEarly(directory: string, sync: boolean): Promise<void> {
  const engine = EmbeddedPostgres.start({ directory, sync });
  engine.catch(() => {});
  early = { directory: resolve(directory), engine };
  await new Promise((done) => setImmediate(done));
}

/** The engine of a directory, once: the one that was started early, else a new one. Throws as `EmbeddedPostgres.start`. */
export function engineOf(directory: string, sync: boolean): Promise<EmbeddedPostgres> {
  if (early?.directory !== resolve(directory)) return EmbeddedPostgres.start({ directory, sync });
  const { engine } = early;
  early = null;
  return engine;
}
