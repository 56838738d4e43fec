/** The kinds of pings. Most report on a run, but `log` reports nothing. The index is stored, so only append. */
export const PING_KINDS = ['success', 'start', 'fail', 'log'] as const;
export type PingKind = (typeof PING_KINDS)[number];
