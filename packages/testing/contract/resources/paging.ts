import type { ApiResponse } from '../../service/api';
import { expectProblem } from '../session/problems';
import { newIncident } from '../session/incidents';
import type { TheSession } from '../session/session';
import { newAlert, newContact, newEndpoint, newPage, newWebsite, newWindow, type Thing } from '../session/things';
import type { Session } from '../session/session';
import type { Caller } from '../session/caller';

/** A list with at least three items. */
interface List {
  /** Includes a query string, so that more parameters can be appended with `&`. */
  path: string;
  /** The exact IDs in order, if the list has no other items. */
  ids?: string[];
  newestFirst?: boolean;
  by?: Caller;
}

const three = async (make: () => Promise<Thing>): Promise<string[]> => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push((await make()).id);
  return ids;
};
const OFF = { enabled: false } as const;

/** How to create three items for each list, and where they are listed. Resources are listed oldest first. */
const LISTS: Readonly<Record<string, (session: Session) => Promise<List>>> = {
  'websites that are searched for': async (session) => {
    const word = session.key('search');
    const ids = await three(() => newWebsite(session, { name: session.name(word) }));
    return { path: `/websites?q=${word}`, ids };
  },
  'endpoints of a website': async (session) => {
    const { id } = await newWebsite(session);
    return { path: `/websites/${id}/endpoints?`, ids: await three(() => newEndpoint(session, OFF, id)) };
  },
  'endpoints of all websites': async (session) => {
    const { id } = await newWebsite(session);
    return { path: `/endpoints?website_id=${id}`, ids: await three(() => newEndpoint(session, OFF, id)) };
  },
  'the overview': async (session) => {
    const { id } = await newWebsite(session);
    return { path: `/overview?website_id=${id}`, ids: await three(() => newEndpoint(session, OFF, id)) };
  },
  'alerts of an endpoint': async (session) => {
    const { id } = await newEndpoint(session, OFF);
    return { path: `/alerts?endpoint_id=${id}`, ids: await three(() => newAlert(session, {}, id)) };
  },
  'maintenance windows of an endpoint': async (session) => {
    const { id } = await newEndpoint(session, OFF);
    let start = Date.now();
    const later = () => new Date((start += 3_600_000)).toISOString();
    await three(() => newWindow(session, id, { starts_at: later(), ends_at: later() }));
    return { path: `/maintenance-windows?endpoint_id=${id}`, newestFirst: true };
  },
  'incidents of an endpoint': async (session) => {
    const { id } = await newEndpoint(session, OFF);
    await three(() => newIncident(session, id));
    return { path: `/incidents?endpoint_id=${id}`, newestFirst: true };
  },
  contacts: async (session) => {
    await three(() => newContact(session));
    return { path: '/contacts?' };
  },
  'status pages': async (session) => {
    const { id } = await newEndpoint(session, OFF);
    await three(() => newPage(session, id));
    return { path: '/status-pages?' };
  },
  'API keys': async (session) => {
    const key = () => session.admin.post<Thing>('/api-keys', { name: session.name('key'), role: 'read' });
    await three(async () => (await key()).body);
    return { path: '/api-keys?', by: session.admin };
  },
  'the audit log': async (session) => {
    const { id } = await newWebsite(session);
    for (const name of ['one', 'two']) await session.write.put(`/websites/${id}`, { name: session.name(name) });
    return { path: `/audit-log?resource_id=${id}`, by: session.admin, newestFirst: true };
  },
};

const idsOf = ({ body }: ApiResponse<Thing[]>): string[] => body.map(({ id }) => id);

/** Tests reading lists page by page. */
export function describePaging(session: TheSession): void {
  describe.each(Object.entries(LISTS))('the list of %s', (_, make) => {
    let list: List;
    let by: Caller;
    const get = (more = '') => by.get<Thing[]>(list.path + more);
    beforeAll(async () => {
      list = await make(session());
      by = list.by ?? session().read;
    });

    it('has the same entries in the same order, whether it is read at once or in pages', async () => {
      const whole = idsOf(await get('&limit=4')).slice(0, 3);
      const first = await get('&limit=2');
      const cursor = first.headers['x-next-cursor'] ?? 'no X-Next-Cursor';
      const second = await get(`&limit=2&cursor=${encodeURIComponent(cursor)}`);
      expect(first.body).toHaveLength(2);
      expect([...idsOf(first), ...idsOf(second)].slice(0, 3)).toEqual(whole);
    });

    it('links to its next page in Link, with the cursor in X-Next-Cursor', async () => {
      const { headers } = await get('&limit=1');
      const [, next = ''] = /^<([^>]+)>; *rel="next"$/.exec(headers['link'] ?? '') ?? [];
      const to = session().leadsTo(next, `/api/v1${list.path}&limit=1`) ?? '';
      const cursor = new URL(to, session().url).searchParams.get('cursor');
      expect([cursor, cursor === null]).toEqual([headers['x-next-cursor'], false]);
      expect(idsOf(await by.send<Thing[]>('GET', to))).toEqual(idsOf(await get('&limit=2')).slice(1));
    });

    it('is in chronological order, has no next page on its last page, and counts all entries if it counts', async () => {
      expectOrder(idsOf(await get('&limit=4')), list.newestFirst ?? false);
      if (!list.ids) return;
      const response = await get();
      expect(idsOf(response)).toEqual(list.ids);
      const { link, 'x-next-cursor': cursor, 'x-total-count': count } = response.headers;
      expect({ link, cursor, count }).toEqual({ link: undefined, cursor: undefined, count: '3' });
      expect((await get('&limit=1')).headers['x-total-count']).toBe('3');
    });

    it.each(['0', '1001', '-1', '1.5', 'abc', ''])('refuses limit=%s', async (limit) => {
      expectProblem(await get(`&limit=${limit}`), 400, 'invalid_query');
    });

    it('refuses a cursor that is damaged or belongs to another list', async () => {
      const cursor = (await get('&limit=1')).headers['x-next-cursor'] ?? 'no X-Next-Cursor';
      const damaged = `${cursor.slice(0, -2)}${cursor.endsWith('AA') ? 'BB' : 'AA'}`;
      expectProblem(await get(`&cursor=${encodeURIComponent(damaged)}`), 400, 'invalid_cursor');
      const elsewhere = await session().read.get(`/alerts/events?cursor=${encodeURIComponent(cursor)}`);
      expectProblem(elsewhere, 400, 'invalid_cursor');
    });
  });
}

/** IDs sort by time (UUIDv7), so lists are sorted by ID, oldest or newest first. */
function expectOrder(ids: readonly string[], newestFirst: boolean): void {
  const ascending = [...ids].sort();
  expect(ids).toEqual(newestFirst ? ascending.reverse() : ascending);
}
