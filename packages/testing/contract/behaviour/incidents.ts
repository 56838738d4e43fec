import { CheckedEndpoint } from '../session/checked-endpoint';
import { idWith, timestamp } from '../session/forms';
import { expectProblem } from '../session/problems';
import type { TheSession } from '../session/session';
import { newAlert, newWindow, type Thing } from '../session/things';

type Change = (ids: { alert: string; endpoint: CheckedEndpoint }) => Promise<{ status: number }>;

/** Tests sections 5 and 6 of the contract: when an alert triggers and resolves, and its events. */
export function describeIncidents(session: TheSession): void {
  const eventsOf = async (alert: string) =>
    (await session().read.get<Thing[]>(`/alerts/events?alert_id=${alert}`)).body;
  const kindsOf = async (alert: string) =>
    (await eventsOf(alert)).map(({ type, reason }) => `${String(type)} ${String(reason)}`);
  const isTriggered = async (alert: string) => (await session().read.get<Thing>(`/alerts/${alert}`)).body['triggered'];

  describe('an alert with the thresholds 3 and 2', () => {
    let endpoint: CheckedEndpoint;
    let alert: string;
    const seen: unknown[] = [];
    /** The flag and the number of events after each check. */
    beforeAll(async () => {
      endpoint = await CheckedEndpoint.take(session());
      alert = (await newAlert(session(), { failure_threshold: 3, success_threshold: 2 }, endpoint.id)).id;
      for (const outcome of ['down', 'down', 'down', 'up', 'up'] as const) {
        await endpoint.check(outcome);
        seen.push([outcome, await isTriggered(alert), (await eventsOf(alert)).length]);
      }
    });

    it('triggers with the third failure in a row and resolves with the second success, neither earlier', () => {
      expect(seen).toEqual([
        ['down', false, 0],
        ['down', false, 0],
        ['down', true, 1],
        ['up', true, 1],
        ['up', false, 2],
      ]);
    });

    it('has one event of each, the newest first', async () => {
      const events = await eventsOf(alert);
      expect(events.map(({ type }) => type)).toEqual(['resolved', 'triggered']);
      const names = {
        alert_id: alert,
        alert_type: 'webhook',
        endpoint_id: endpoint.id,
        endpoint_name: endpoint.view['name'],
        website_id: endpoint.websiteId,
        website_name: endpoint.view['group'],
        reason: 'threshold',
        message: expect.stringMatching(/./),
        created_at: timestamp(),
      };
      const [resolved, triggered] = events;
      expect(triggered).toMatchObject({
        ...names,
        id: idWith('ev'),
        type: 'triggered',
        error: { code: 'status_unexpected', message: expect.stringMatching(/./) },
        failure_count: 3,
        duration_seconds: null,
        started_at: timestamp(),
      });
      expect(resolved).toMatchObject({
        ...names,
        id: idWith('ev'),
        type: 'resolved',
        error: null,
        success_count: 2,
        duration_seconds: expect.any(Number),
        started_at: triggered?.['started_at'],
      });
    });

    it('is found among the events by each filter', async () => {
      const [resolved, triggered] = (await eventsOf(alert)).map(({ id }) => id);
      const idsOf = async (query: string) =>
        (await session().read.get<Thing[]>(`/alerts/events?${query}`)).body.map(({ id }) => id);
      expect(await idsOf(`endpoint_id=${endpoint.id}`)).toEqual([resolved, triggered]);
      expect(await idsOf(`website_id=${endpoint.websiteId}`)).toEqual([resolved, triggered]);
      expect(await idsOf(`alert_id=${alert}&type=triggered`)).toEqual([triggered]);
      expect(await idsOf(`alert_id=${alert}&until=2020-01-01T00:00:00.000Z`)).toEqual([]);
      expect(await idsOf(`alert_id=${alert}&limit=1`)).toEqual([resolved]);
    });

    it('has its two events in pages too', async () => {
      const path = `/alerts/events?alert_id=${alert}&limit=1`;
      const first = await session().read.get<Thing[]>(path);
      const cursor = encodeURIComponent(first.headers['x-next-cursor'] ?? 'no X-Next-Cursor');
      const second = await session().read.get<Thing[]>(`${path}&cursor=${cursor}`);
      const ids = [...first.body, ...second.body].map(({ id }) => id);
      expect(ids).toEqual((await eventsOf(alert)).map(({ id }) => id));
    });
  });

  describe('alert events', () => {
    it.each(['0', '1001', '-1', '1.5', 'x'])('refuse limit=%s', async (limit) => {
      expectProblem(await session().read.get(`/alerts/events?limit=${limit}`), 400, 'invalid_query');
    });

    it.each(['1', '1000'])('take limit=%s', async (limit) => {
      expect((await session().read.get(`/alerts/events?limit=${limit}`)).status).toBe(200);
    });

    it('are refused by another type or time than there is', async () => {
      for (const query of ['type=boom', 'since=yesterday', 'alert_id=ws_1'])
        expectProblem(await session().read.get(`/alerts/events?${query}`), 400, 'invalid_query');
    });
  });

  describe('an alert on what is in maintenance', () => {
    it('does not trigger', async () => {
      const endpoint = await CheckedEndpoint.take(session());
      const alert = (await newAlert(session(), { failure_threshold: 1 }, endpoint.id)).id;
      await newWindow(session(), endpoint.id);
      await endpoint.check('down');
      expect([await isTriggered(alert), await eventsOf(alert)]).toEqual([false, []]);
    });
  });

  describe('a triggered alert', () => {
    const ways: Readonly<Record<string, [Change, string]>> = {
      'it is disabled': [({ alert }) => session().write.put(`/alerts/${alert}`, { enabled: false }), 'disabled'],
      'it is deleted': [({ alert }) => session().write.delete(`/alerts/${alert}`), 'deleted'],
      'its endpoint is disabled': [
        ({ endpoint }) => session().write.put(`/endpoints/${endpoint.id}`, { enabled: false }),
        'disabled',
      ],
      'its endpoint is deleted': [({ endpoint }) => session().write.delete(`/endpoints/${endpoint.id}`), 'deleted'],
      'its website is disabled': [
        ({ endpoint }) => session().write.put(`/websites/${endpoint.websiteId}`, { enabled: false }),
        'disabled',
      ],
    };

    it.each(Object.keys(ways))('resolves with the reason when %s', async (way) => {
      const [change, reason] = ways[way] ?? [];
      const endpoint = await CheckedEndpoint.take(session());
      const alert = (await newAlert(session(), { failure_threshold: 1 }, endpoint.id)).id;
      await endpoint.check('down');
      expect([200, 204]).toContain((await change?.({ alert, endpoint }))?.status);
      expect(await kindsOf(alert)).toEqual([`resolved ${String(reason)}`, 'triggered threshold']);
    });

    it('that is not to tell of its end resolves without a notification', async () => {
      const endpoint = await CheckedEndpoint.take(session());
      const fields = { failure_threshold: 1, success_threshold: 1, send_on_resolved: false };
      const alert = (await newAlert(session(), fields, endpoint.id)).id;
      await endpoint.check('down');
      await endpoint.check('up');
      expect(await kindsOf(alert)).toEqual(['resolved threshold', 'triggered threshold']);
      const { body } = await session().read.get<Thing[]>(`/alerts/${alert}/deliveries`);
      expect(body.map(({ kind }) => kind)).toEqual(['triggered']);
    });
  });
}
