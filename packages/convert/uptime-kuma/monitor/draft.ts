import type { DeclaredAssertion } from '../../../../src/configuration/document/document';
import { cut } from '../../../../src/platform/text/text-limits';

/** A check that hasn't been assigned to a website yet and still contains its credentials. */
export interface Draft {
  type: string;
  url: string;
  method?: string;
  headers?: { key: string; value: string }[];
  body?: string;
  follow_redirects?: boolean;
  assertions?: DeclaredAssertion[];
  tls?: { verify: boolean; ca?: string };
  /** The settings of the type, with their secrets. */
  settings?: Record<string, unknown>;
}

/** A check and how it differs from the monitor, or the reason why there is none. */
export type Mapped = { draft: Draft; differences: string[] } | { reason: string };

/** Returns a string from the file, shortened for use in a sentence. */
export const quoted = (text: string, max = 60): string =>
  `"${text.length > max ? `${cut(text, max, '').trimEnd()}…` : text}"`;
