import { contrast } from './accent';
import { endpointState, groupSum, headline, type Judged, type PageState, pageState } from './page-state';
import { BADGE_COLORS } from './status-badge';

/** In the text, `down!` means down during announced maintenance, and `up~` means degraded. */
const endpointOf = (text: string) => ({
  status: text.replace(/[!~]/, ''),
  degraded: text.endsWith('~'),
  maintenance: text.endsWith('!') ? { name: 'Upgrade', until: '2026-11-24T04:00:00.000Z' } : null,
});

function pageOf(status: string, texts: readonly string[]): Judged {
  const active = texts.some((text) => text.endsWith('!'));
  const maintenance = active ? [{ state: 'active' }] : [{ state: 'planned' }, { state: 'over' }];
  return { status, endpoints: texts.map(endpointOf), incidents: [], maintenance } as unknown as Judged;
}

describe('the headline of a public page', () => {
  it.each([
    ['down', ['down', 'up', 'up'], 'down', '1 of 3 is down'],
    ['down', ['down', 'down', 'up'], 'down', '2 of 3 are down'],
    ['down', ['down', 'down'], 'down', 'All systems are down'],
    ['down', ['up', 'up'], 'down', 'Some systems are down'],
    ['up', ['up', 'up'], 'up', 'All systems operational'],
    ['up', ['up~', 'up'], 'degraded', '1 of 2 is degraded'],
    ['up', ['up~', 'up~', 'up'], 'degraded', '2 of 3 are degraded'],
    ['up', ['up~'], 'degraded', 'All systems are degraded'],
    ['down', ['down!', 'up'], 'maintenance', 'Maintenance in progress'],
    ['up', ['up!', 'up~'], 'maintenance', 'Maintenance in progress'],
    ['paused', ['paused!'], 'maintenance', 'Maintenance in progress'],
    ['down', ['down!', 'down', 'up'], 'down', '1 of 3 is down'],
    ['down', ['down', 'up~', 'up'], 'down', '1 of 3 is down'],
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
    ['down', ['down', 'up'], 'down', '1 of 2 is down'],
  ] as const)('%s, of %j, is with an open incident %s, "%s" (Kuma #908)', (status, texts, state, text) => {
    const page = withIncident(pageOf(status, texts), null);
    expect([pageState(page), headline(page)]).toEqual([state, text]);
  });

  it('says that everything works once no incident is open, regardless of the last update (Cachet #790, #2423, #4578)', () => {
    const page = withIncident(pageOf('up', ['up']), '2026-11-24T04:00:00.000Z');
    expect([pageState(page), headline(page)]).toEqual(['up', 'All systems operational']);
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
    [['up', 'up', 'up', 'down'], 'down', '3 of 4 up'],
    [['up', 'down'], 'down', '1 of 2 up'],
    [['up', 'up~'], 'degraded', 'All 2 up'],
    [['down', 'down'], 'down', '0 of 2 up'],
    [['up', 'up', 'down!'], 'maintenance', '2 of 3 up, 1 in maintenance'],
    [['up', 'unknown', 'paused'], 'unknown', '1 of 3 up, 1 unknown, 1 paused'],
    [['paused', 'paused'], 'paused', '2 paused'],
  ] as const)('of %j is %s, "%s"', (texts, state, text) => {
    expect(groupSum(texts.map(endpointOf) as Parameters<typeof groupSum>[0])).toEqual({ state, text });
  });

  it('is left out if a single endpoint shows it', () => {
    expect(groupSum([endpointOf('up')] as Parameters<typeof groupSum>[0])).toBeNull();
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
