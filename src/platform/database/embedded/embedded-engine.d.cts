import type { PGlite, PGliteOptions } from '@electric-sql/pglite';

/** Opens the engine. See `EmbeddedPostgresOptions`. `more` contains additional PGlite options. */
export function openEngine(
  options: { directory: string | null; template: string; sync: boolean },
  more?: PGliteOptions,
): Promise<PGlite>;
