import type { Text } from '../../../src/configuration/document/document';
import type { Fields } from './fields';

/** The settings of a provider, as a reader sees them. */
export interface Source {
  fields: Fields;
  /** Reads a string for a hidden field, or returns `null`. A variable becomes a secret. */
  read: (name: string) => Text | null;
  /** Reads a string for a visible field, which can't be a secret. Variables are left as written. */
  say: (name: string) => string | null;
  refer: (text: string) => Text;
}

/** Returns a channel config. Properties that are `null` are left out. */
export type Reader = (source: Source) => Record<string, unknown>;
