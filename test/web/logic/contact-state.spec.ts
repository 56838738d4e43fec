import type { Contact } from '../../../web/src/api/types';
import { contactState, unreached, worstFirst } from '../../../web/src/logic/contact-state';

type Facts = Pick<Contact, 'failing_since' | 'alert_count' | 'last_delivery' | 'cannot_send'>;

const SINCE = '2026-11-20T10:00:00.000Z';
const of = (state: 'pending' | 'delivered' | 'failed' | 'superseded'): Facts => ({
  failing_since: null,
  alert_count: 1,
  last_delivery: { state, at: SINCE, error: null },
  cannot_send: null,
});

describe('the state of a contact', () => {
  it.each<[string, Facts, object | null]>([
    ['Working', of('delivered'), { status: 'up', word: 'Working' }],
    [
      'Cannot send without a mail server, although its last message arrived',
      { ...of('delivered'), cannot_send: 'No mail server is configured.' },
      { status: 'degraded', word: 'Cannot send' },
    ],
    [
      'Failing, regardless of its last message',
      { ...of('pending'), failing_since: SINCE },
      { status: 'down', word: 'Failing' },
    ],
    [
      'Failing, also if it has no alert left',
      { ...of('failed'), failing_since: SINCE, alert_count: 0 },
      { status: 'down', word: 'Failing' },
    ],
    ['Unused', { ...of('delivered'), alert_count: 0 }, { status: 'paused', word: 'Unused' }],
    ['No messages yet', { ...of('delivered'), last_delivery: null }, { status: 'unknown', word: 'No messages yet' }],
    ['the state of its last message if that waits', of('pending'), null],
    ['the state of its last message if that was superseded', of('superseded'), null],
  ])('is %s', (_, facts, state) => expect(contactState(facts)).toEqual(state));
});

it('lists contacts that fail first, the longest failing before the others, and the rest in their order', () => {
  const list = [
    { id: 1, failing_since: null },
    { id: 2, failing_since: '2026-11-20T10:00:00.000Z' },
    { id: 3, failing_since: null },
    { id: 4, failing_since: '2026-11-19T10:00:00.000Z' },
  ];
  expect(worstFirst(list).map(({ id }) => id)).toEqual([4, 2, 1, 3]);
});

it('reports that a contact cannot be reached once it has failed for five minutes and alerts use it, the longest failing first', () => {
  const at = (minutesAgo: number) => new Date(Date.parse(SINCE) - minutesAgo * 60_000).toISOString();
  const list = [
    { id: 'without a mail server', failing_since: null, alert_count: 1, cannot_send: 'No mail server is configured.' },
    { id: 'a moment', failing_since: at(1), alert_count: 3 },
    { id: 'eight minutes', failing_since: at(8), alert_count: 1 },
    { id: 'not used', failing_since: at(60), alert_count: 0 },
    { id: 'arrives', failing_since: null, alert_count: 2 },
    { id: 'an hour', failing_since: at(60), alert_count: 1 },
  ];
  const contacts = list.map((each) => ({ cannot_send: null, ...each }));
  expect(unreached(contacts, Date.parse(SINCE)).map(({ id }) => id)).toEqual([
    'an hour',
    'eight minutes',
    'without a mail server',
  ]);
});
