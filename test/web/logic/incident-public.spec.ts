import type { IncidentUpdate, OverviewItem } from '../../../web/src/api/types';
import {
  coveredBy,
  monthAfter,
  monthText,
  publicStatus,
  publicTitle,
  shownOn,
} from '../../../web/src/logic/incident-public';

const endpoint = (endpoint_id: string, website_id: string) => ({ endpoint_id, endpoint_name: endpoint_id, website_id });
const group = (endpoints: string[], websites: string[]) => ({ name: '', endpoints, websites });

describe('the pages that show an incident', () => {
  const affected = [endpoint('Login', 'ws_shop'), endpoint('Docs', 'ws_docs')];
  const page = (groups: ReturnType<typeof group>[], website_id: string | null = null, enabled = true) => ({
    enabled,
    website_id,
    groups,
  });
  const names = (...pages: ReturnType<typeof page>[]) => shownOn(pages, affected).map((each) => each.names);

  it.each([
    [
      'the pages with one of its endpoints, by the names shown there',
      page([group(['Login', 'Other'], [])]),
      [['Login']],
    ],
    ['the pages with a website of an endpoint', page([group([], ['ws_docs'])]), [['Docs']]],
    ['the pages of a website that have no groups', page([], 'ws_shop'), [['Login']]],
    ['not the pages that show other endpoints', page([group(['Other'], ['ws_other'])], 'ws_shop'), []],
    ['not the pages that are not public', page([group(['Login'], [])], null, false), []],
  ])('are %s', (_what, given, expected) => {
    expect(names(given)).toEqual(expected);
  });

  it('know whether an endpoint that they show is still in it', () => {
    const [on] = shownOn(
      [page([group(['Login'], [])])],
      [{ ...endpoint('Login', 'ws_shop'), ended_at: 'then' }, ...affected.slice(1)],
    );
    expect(on?.isNow).toBe(false);
  });

  it('are found for a manual one by everything that its scope covers, also by a tag of a website', () => {
    const items = [
      { id: 'ep_1', name: 'Login', website: { id: 'ws_1', name: 'Shop' }, tags: [] },
      { id: 'ep_2', name: 'Docs', website: { id: 'ws_2', name: 'Docs' }, tags: ['prod'] },
      { id: 'ep_3', name: 'Lab', website: { id: 'ws_3', name: 'Lab' }, tags: [] },
    ] as unknown as OverviewItem[];
    const covered = (scope: Parameters<typeof coveredBy>[0]) =>
      coveredBy(scope, items, (id) => (id === 'ws_1' ? ['prod'] : [])).map(({ endpoint_name }) => endpoint_name);
    expect(covered({ tags: ['prod'] })).toEqual(['Login', 'Docs']);
    expect(covered({ website_ids: ['ws_3'], endpoint_ids: ['ep_2'] })).toEqual(['Docs', 'Lab']);
    expect(covered({ all: true })).toHaveLength(3);
  });
});

describe('the public view of an incident', () => {
  it.each([
    [{ title: 'Load balancer', severity: 'down' as const }, ['Login'], true, 'Load balancer'],
    [{ title: null, severity: 'down' as const }, ['Login'], true, 'Login is down'],
    [{ title: null, severity: 'down' as const }, ['Login', 'Docs', 'Shop'], false, 'Login and 2 more were down'],
  ])('is titled by its name, else by the names that the page shows', (incident, names, isNow, title) => {
    expect(publicTitle(incident, { names, isNow })).toBe(title);
  });

  it('has the state of the newest public update, not of a note', () => {
    const said = (status: string | null, isPublic: boolean) => ({ status, public: isPublic }) as IncidentUpdate;
    const updates = [said('monitoring', false), said(null, true), said('identified', true)];
    const open = { state: 'open', status: 'monitoring', updates } as const;
    expect([publicStatus(open), publicStatus(open, 'investigating')]).toEqual(['identified', 'investigating']);
    expect(publicStatus({ ...open, state: 'ended' }, 'postmortem')).toBe('resolved');
    expect(publicStatus({ state: 'open', status: null, updates: [] })).toBe('investigating');
  });

  it('goes from month to month over the turn of the year', () => {
    expect([monthAfter('2026-12', 1), monthAfter('2026-01', -1)]).toEqual(['2027-01', '2025-12']);
    expect(monthText('2026-11')).toContain('2026');
  });
});
