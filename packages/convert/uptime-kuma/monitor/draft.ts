import type { DeclaredAssertion } from '../../../../src/configuration/document/document';
import { cut } from '../../../../src/platform/text/text-limits';

/** What is checked, before it has a place and its secrets are taken out. */
export interface Draft {
  type: string;
  url: string;
  method?: string;
  headers?: { key: string; value: string }[];
  body?: string;
  follow_redirects?: boolean;
  assertions?: DeclaredAssertion[];
  tls?: { verify: boolean };
}

/** A check with what differs from the monitor's, or the reason why there is none. */
export type Mapped = { draft: Draft; differences: string[] } | { reason: string };

/** A text of the file in a sentence, cut. */
export const quoted = (text: string, max = 60): string =>
  `"${text.length > max ? `${cut(text, max, '').trimEnd()}…` : text}"`;
