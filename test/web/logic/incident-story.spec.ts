import type { Alert, AlertEvent } from '../../../web/src/api/types';
import { byIncident, incidentLine, isOpen, reasonOf, toldNext, toldText } from '../../../web/src/logic/incident-story';
import { time } from '../../../web/src/logic/format';

const STARTED = '2026-11-25T15:24:00.000Z';
const alert = (id: string, changes: Partial<Alert> = {}) =>
  ({ id, enabled: true, triggered: false, after: 0, ...changes }) as Alert;

const TRIGGERED: Partial<AlertEvent> = {
  type: 'triggered',
  alert_id: 'al_1',
  alert_type: 'slack',
  incident_id: 'inc_1',
  endpoint_id: 'ep_1',
  endpoint_name: 'Checkout',
  condition: 'down',
  started_at: STARTED,
  duration_seconds: null,
  error: { code: 'status_unexpected', message: 'the status is 500' },
};
const event = (changes: Partial<AlertEvent> = {}) => ({ ...TRIGGERED, ...changes }) as AlertEvent;
const RESOLVED = event({ type: 'resolved', duration_seconds: 35, error: null });
const delivery = (state: 'delivered' | 'failed' | 'pending' | 'superseded') => ({
  delivery: { id: 'dl_1', state, at: STARTED, error: null },
});
const NOW = Date.parse(STARTED);
const clock = (seconds: number) => time(new Date(NOW + seconds * 1000).toISOString(), NOW);

describe('the description of an incident', () => {
  it.each([
    [
      'its duration and its reason once it is over',
      [RESOLVED, event()],
      `down ${clock(0)} to ${clock(35)}: the status is 500`,
    ],
    ['only its duration if no reason is kept', [RESOLVED], `down ${clock(0)} to ${clock(35)}`],
    [
      'that it was degraded, for an alert on degraded',
      [{ ...RESOLVED, condition: 'degraded' as const }],
      `degraded ${clock(0)} to ${clock(35)}`,
    ],
  ])('summarizes in one line %s', (_what, events, line) => {
    expect(incidentLine(events, NOW)).toBe(`Checkout, ${line}`);
  });

  const login = (changes: Partial<AlertEvent> = {}) =>
    event({ alert_id: 'al_2', endpoint_id: 'ep_2', endpoint_name: 'Login', ...changes });

  it('shows its message while it continues, and which of several endpoints are down', () => {
    expect(incidentLine([event({ message: 'Checkout is down' })], NOW)).toBe('Checkout is down');
    expect(incidentLine([login({ error: null }), event()], NOW)).toBe('Checkout and Login are down: the status is 500');
  });

  it('lasts from the first failure of several to the end of the last', () => {
    const later = login({ type: 'resolved', started_at: new Date(NOW + 10_000).toISOString(), duration_seconds: 80 });
    expect(incidentLine([later, RESOLVED, login(), event()], NOW)).toBe(
      `Checkout and Login, down ${clock(0)} to ${clock(90)}: the status is 500`,
    );
  });

  it('continues until the newest event of each of its alerts resolves it', () => {
    expect([isOpen([RESOLVED, login(), event()]), isOpen([RESOLVED, event()])]).toEqual([true, false]);
  });

  it('has the events of its id, and earlier events by what was down since when', () => {
    const before = (changes: Partial<AlertEvent> = {}) => event({ incident_id: null, ...changes });
    const groups = byIncident([
      before({ id: 'ev_6' }),
      login({ id: 'ev_5' }),
      before({ id: 'ev_4', endpoint_id: 'ep_2' }),
      before({ id: 'ev_3', started_at: new Date(NOW - 1000).toISOString() }),
      before({ id: 'ev_2' }),
      event({ id: 'ev_1' }),
    ]);
    expect(groups.map((group) => group.map(({ id }) => id))).toEqual([
      ['ev_6', 'ev_2'],
      ['ev_5', 'ev_1'],
      ['ev_4'],
      ['ev_3'],
    ]);
  });

  it('names the receivers of its messages, by contact and channel, and whether they were delivered', () => {
    const team = { id: 'ct_1', name: 'Team' };
    expect(
      toldText([
        event({ type: 'resolved', contact: team, ...delivery('delivered') }),
        event({ contact: team, ...delivery('failed') }),
        event({ alert_id: 'al_2', alert_type: 'pagerduty', contact: null, ...delivery('delivered') }),
        event({ alert_id: 'al_3', ...delivery('pending') }),
        event({ alert_id: 'al_4', ...delivery('superseded') }),
        event({ alert_id: 'al_5', delivery: null }),
      ]),
    ).toBe('Team (Slack) not reached, PagerDuty reached, Slack not reached yet, Slack not notified');
  });

  it('has the reason of the trigger also once it is resolved', () => {
    const error = { code: 'status_unexpected' as const, message: 'The status is 500; expected 200 to 299.' };
    expect(reasonOf([{ error: null }, { error }])).toBe('The status is 500; expected 200 to 299.');
    expect(reasonOf([{ error: null }])).toBeNull();
  });

  it('names who is notified next and when: alerts that wait longer and have not triggered, soonest first', () => {
    const alerts = [
      alert('at once', { triggered: true }),
      alert('manager', { after: 1800 }),
      alert('on call', { after: 600 }),
      alert('off', { after: 60, enabled: false }),
      alert('by failures alone'),
    ];
    expect(toldNext(alerts, STARTED).map(({ alert: { id }, at }) => [id, new Date(at).toISOString()])).toEqual([
      ['on call', '2026-11-25T15:34:00.000Z'],
      ['manager', '2026-11-25T15:54:00.000Z'],
    ]);
    expect(toldNext(alerts, null)).toEqual([]);
  });
});
