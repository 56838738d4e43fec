import { HistoryBegins1795564800001 } from './1795564800001-history-begins';

/** The newest migration of each release. A release adds its line; what is released stays. */
export const RELEASES: Readonly<Record<string, string>> = {
  '0.1.0': HistoryBegins1795564800001.name,
};
