import { contrast } from './accent';
import { endpointState, groupSum, headline, type Judged, type PageState, pageState } from './page-state';
import { BADGE_COLORS } from './status-badge';

/** In the text, `down!` means down during announced maintenance, and `up~` means degraded. */
const endpointOf = (text: string, index = 0) => ({
  name: 'ABCDE'.charAt(index),
  status: text.replace(/[!~]/, ''),
  degraded: text.endsWith('~'),
  maintenance: text.endsWith('!') ? { name: 'Upgrade', until: '2026-11-24T04:00:00.000Z' } : null,
});

function pageOf(status: string, texts: readonly string[]): Judged {
  const active = texts.some((text) => text.endsWith('!'));
  const maintenance = active ? [{ state: 'active' }] : [{ state: 'planned' }, { state: 'over' }];
  return {
    status,
    endpoints: texts.map((text, index) => endpointOf(text, index)),
    incidents: [],
    maintenance,
  } as unknown as Judged;
}

describe('the headline of a public page', () => {
  it.each([
    ['down', ['down', 'up', 'up'], 'down', 'Partial outage: A'],
    ['down', ['down', 'down', 'up'], 'down', 'Partial outage: A and B'],
    ['down', ['down', 'down'], 'down', 'Major outage: all services are down'],
    ['down', ['down'], 'down', 'Outage: A'],
    ['down', ['up', 'down', 'down', 'down'], 'down', 'Partial outage: B, C, and D'],
    ['down', ['down', 'down', 'down', 'down', 'up'], 'down', 'Partial outage: 4 of 5 services'],
    ['down', ['up', 'up'], 'down', 'Partial outage'],
    ['up', ['up', 'up'], 'up', 'All services are operational'],
    ['up', ['up~', 'up'], 'degraded', 'Degraded: A'],
    ['up', ['up~', 'up~', 'up'], 'degraded', 'Degraded: A and B'],
    ['up', ['up~'], 'degraded', 'Degraded: A'],
    ['up', ['up~', 'up~'], 'degraded', 'All services are degraded'],
    ['down', ['down!', 'up'], 'maintenance', 'Maintenance in progress'],
    ['up', ['up!', 'up~'], 'maintenance', 'Maintenance in progress'],
    ['paused', ['paused!'], 'maintenance', 'Maintenance in progress'],
    ['down', ['down!', 'down', 'up'], 'down', 'Partial outage: B'],
    ['down', ['down', 'up~', 'up'], 'down', 'Partial outage: A'],
    ['paused', ['paused'], 'paused', 'Monitoring is paused'],
    ['unknown', [], 'unknown', 'No data yet'],
  ] as const)('%s, of %j: %s, "%s"', (status, texts, state, text) => {
    const page = pageOf(status, texts);
    expect([pageState(page), headline(page)]).toEqual([state, text]);
  });

  const withIncident = (page: Judged, ended_at: string | null): Judged =>
    ({ ...page, incidents: [{ title: 'Payments are slow', ended_at }] }) as unknown as Judged;

  it.each([
    ['up', ['up', 'up'], 'incident', 'Payments are slow'],
    ['up', ['up~', 'up'], 'incident', 'Payments are slow'],
    ['down', ['down!', 'up'], 'incident', 'Payments are slow'],
    ['paused', ['paused'], 'incident', 'Payments are slow'],
    ['down', ['down', 'up'], 'down', 'Partial outage: A'],
  ] as const)('%s, of %j, is with an open incident %s, "%s" (Kuma #908)', (status, texts, state, text) => {
    const page = withIncident(pageOf(status, texts), null);
    expect([pageState(page), headline(page)]).toEqual([state, text]);
  });

  it('says that all services are operational once no incident is open, regardless of the last update (Cachet #790, #2423, #4578)', () => {
    const page = withIncident(pageOf('up', ['up']), '2026-11-24T04:00:00.000Z');
    expect([pageState(page), headline(page)]).toEqual(['up', 'All services are operational']);
  });

  it.each([
    ['up', 'up'],
    ['down', 'down'],
    ['up~', 'degraded'],
    ['up!', 'maintenance'],
    ['down!', 'maintenance'],
    ['unknown!', 'maintenance'],
    ['paused!', 'paused'],
  ])('an endpoint that is %s is shown as %s', (text, state) => {
    expect(endpointState(endpointOf(text) as Parameters<typeof endpointState>[0])).toBe(state);
  });
});

describe('the summary next to a heading', () => {
  it.each([
    [['up', 'up', 'up', 'down'], 'down', '1 of 4 down'],
    [['up', 'down'], 'down', '1 of 2 down'],
    [['up', 'up~'], 'degraded', '1 of 2 degraded'],
    [['down', 'down'], 'down', 'All 2 down'],
    [['up', 'up', 'down!'], 'maintenance', '1 of 3 in maintenance'],
    [['up', 'unknown', 'paused'], 'unknown', '1 of 3 unknown, 1 paused'],
    [['paused', 'paused'], 'paused', 'All 2 paused'],
    [['up', 'paused'], 'up', '1 of 2 paused'],
    [['up', 'up'], 'up', 'Operational'],
    [['down'], 'down', 'Down'],
  ] as const)('of %j is %s, "%s"', (texts, state, text) => {
    expect(groupSum(texts.map((text) => endpointOf(text)) as Parameters<typeof groupSum>[0])).toEqual({ state, text });
  });
});

describe('a badge', () => {
  it.each(Object.entries(BADGE_COLORS))('can be read when it says %s', (_, color) => {
    expect(contrast(color, '#ffffff')).toBeGreaterThanOrEqual(4.5);
  });

  it('has a separate color for each state', () => {
    const states: PageState[] = ['up', 'down', 'degraded', 'incident', 'maintenance', 'unknown', 'paused'];
    expect(new Set(states.map((state) => BADGE_COLORS[state])).size).toBe(states.length);
  });
});
