import type { Options } from 'minisearch';

export const OPTIONS: Options;
