/** The possible reports of a ping about a run. A `log` ping reports nothing. The index is stored, so only append. */
export const PING_KINDS = ['success', 'start', 'fail', 'log'] as const;
export type PingKind = (typeof PING_KINDS)[number];
