import type { Delivery, History, ReceivedNotification } from './history';

/** Noon. The target of e1 fails from second 10 to second 40. The target of e2 never fails. */
const NOON = Date.UTC(2026, 0, 1, 12);
const AT_SECOND = { triggered: 11, reminder: 30, resolved: 41 } as const;

/** Returns the time of this second of the run. */
export const at = (second: number): number => NOON + second * 1000;

/** Returns a delivery of alert a1 on e1, in its first episode. */
export const delivery = (
  id: string,
  kind: 'triggered' | 'resolved' | 'reminder',
  more: Partial<Delivery> = {},
): Delivery => ({
  id,
  at: at(AT_SECOND[kind]),
  alert: 'a1',
  endpoint: 'e1',
  kind,
  episodeNo: 1,
  state: 'delivered',
  detail: null,
  reason: kind === 'reminder' ? null : 'threshold',
  ordinal: kind === 'reminder' ? 1 : null,
  contact: null,
  incidentKey: `${more.alert ?? 'a1'}-${more.episodeNo ?? 1}`,
  ...more,
});

/** Returns a request at the first channel. */
export const received = (
  id: string,
  second: number,
  more: Partial<ReceivedNotification> = {},
): ReceivedNotification => ({
  id,
  channel: 0,
  rotation: 0,
  at: at(second),
  mode: 'ok',
  body: `about ${id}`,
  ...more,
});

/** One episode, delivered as promised. The trigger succeeded at the second attempt. */
export const GOOD: History = {
  deliveries: [delivery('ev_1', 'triggered'), delivery('ev_2', 'resolved')],
  received: [received('ev_1', 11, { mode: 'error' }), received('ev_1', 16), received('ev_2', 42)],
  pagerDeliveries: [],
  pages: [],
  triggeredPagers: new Set(),
  checks: [
    { endpoint: 'e1', location: 0, at: at(5), outcome: 'up' },
    { endpoint: 'e1', location: 0, at: at(11), outcome: 'down' },
    { endpoint: 'e1', location: 0, at: at(41), outcome: 'up' },
    { endpoint: 'e2', location: 0, at: at(20), outcome: 'up' },
  ],
  modeChanges: new Map([
    [
      'e1',
      [
        { from: at(10), mode: 'error' },
        { from: at(40), mode: 'ok' },
      ],
    ],
  ]),
  stopped: new Set(),
  present: new Map(),
  endings: new Map(),
  quiet: [],
  incidentsInHand: [],
  dues: [],
  awaited: [],
  steady: new Map([['e1', { from: at(0), to: at(60), intervalMs: 1000, requests: 61, failed: 30 }]]),
  placed: new Map(),
  disabled: [],
  probeFaults: 0,
  exits: [],
  downtimes: [],
  ownStalls: [],
};
