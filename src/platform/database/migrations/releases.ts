import { HistoryBegins1795564800001 } from './1795564800001-history-begins';

/** The latest migration in each release. Each release adds a line. Existing lines must not change. */
export const RELEASES: Readonly<Record<string, string>> = {
  '0.1.0': HistoryBegins1795564800001.name,
};
