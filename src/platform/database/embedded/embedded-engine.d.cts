import type { PGlite, PGliteOptions } from '@electric-sql/pglite';

/** Opens the engine. See `EmbeddedPostgresOptions`; `more` contains additional options of PGlite. */
export function openEngine(
  options: { directory: string | null; template: string; sync: boolean },
  more?: PGliteOptions,
): Promise<PGlite>;
