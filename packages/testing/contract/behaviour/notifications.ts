import { createHmac } from 'node:crypto';
import { eventually } from '../../eventually';
import type { SeenRequest } from '../../servers/http-target';
import { BY_ITSELF_MS, CheckedEndpoint } from '../session/checked-endpoint';
import { idWith } from '../session/forms';
import { expectProblem } from '../session/problems';
import type { TheSession } from '../session/session';
import { newAlert, newContact, type Thing, webhook } from '../session/things';

/** A 24-byte key in the Standard Webhooks format (https://www.standardwebhooks.com). */
const KEY = Buffer.from('the-contract-signs-with-').toString('base64');

interface Told {
  type: string;
  data: { alert: { id: string }; endpoint: { id: string }; event: { id: string } };
}

const told = ({ body }: SeenRequest): Told => JSON.parse(body) as Told;
const headerOf = (request: SeenRequest, name: string): string =>
  request.headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? '';

/** Tests section 6 of the contract: which notifications are sent. Each must be sent once and in order. */
export function describeNotifications(session: TheSession): void {
  const deliveriesOf = async (alert: string) => (await session().read.get<Thing[]>(`/alerts/${alert}/deliveries`)).body;

  describe('an alert with a webhook', () => {
    let path: string;
    let alert: string;
    let endpoint: CheckedEndpoint;
    let arrived: SeenRequest[];
    beforeAll(async () => {
      path = `/${session().key('incident')}`;
      endpoint = await CheckedEndpoint.take(session());
      const fields = {
        failure_threshold: 1,
        success_threshold: 1,
        ...webhook(session(), path, { secret: `whsec_${KEY}` }),
      };
      alert = (await newAlert(session(), fields, endpoint.id)).id;
      await endpoint.check('down');
      await endpoint.check('up');
      const both = () => session().bench.seen(path).length >= 2 && session().bench.seen(path);
      arrived = await eventually('the two notifications of an incident', both, BY_ITSELF_MS);
    });

    it('notifies when it triggers and when it resolves, in this order', () => {
      expect(arrived.map((request) => told(request).type)).toEqual(['alert.triggered', 'alert.resolved']);
      for (const request of arrived)
        expect(told(request).data).toMatchObject({
          event: { id: idWith('ev') },
          alert: { id: alert },
          endpoint: { id: endpoint.id },
        });
    });

    it('signs its messages, so that the receiver can verify the sender', () => {
      for (const request of arrived) {
        const [id, at] = [headerOf(request, 'webhook-id'), headerOf(request, 'webhook-timestamp')];
        const signature = createHmac('sha256', Buffer.from(KEY, 'base64')).update(`${id}.${at}.${request.body}`);
        expect(headerOf(request, 'webhook-signature').split(' ')).toContain(`v1,${signature.digest('base64')}`);
      }
    });

    it('has one delivery for each event, newest first, each delivered', async () => {
      const areDelivered = async () => (await deliveriesOf(alert)).every(({ state }) => state === 'delivered');
      await eventually('both deliveries to be recorded as delivered', areDelivered, BY_ITSELF_MS);
      const deliveries = await deliveriesOf(alert);
      const events = (await session().read.get<Thing[]>(`/alerts/events?alert_id=${alert}`)).body;
      expect(deliveries.map(({ kind, event_id }) => [kind, event_id])).toEqual(
        events.map(({ type, id }) => [type, id]),
      );
      expect(deliveries[0]).toMatchObject({ id: idWith('dl'), attempts: 1, response_status: 200, error: null });
    });

    it('sends a message again when it is redelivered', async () => {
      const isEnded = async () =>
        (await deliveriesOf(alert)).find(({ kind, state }) => kind === 'triggered' && state === 'delivered');
      const { id } = await eventually('the first delivery to be delivered', isEnded, BY_ITSELF_MS);
      const again = () => session().bench.seen(path).length;
      const before = again();
      expect((await session().write.post(`/deliveries/${id}/redeliver`)).status).toBe(201);
      await eventually('the redelivered notification', () => again() > before, BY_ITSELF_MS);
    });
  });

  describe('a test message', () => {
    it('of an alert arrives and is marked as a test', async () => {
      const path = `/${session().key('test')}`;
      const { id } = await newAlert(session(), webhook(session(), path));
      const { status, body } = await session().write.post<Thing>(`/alerts/${id}/test`);
      expect([status, body]).toEqual([201, expect.objectContaining({ kind: 'test', event_id: null })]);
      const [request] = await eventually(
        'the test message',
        () => {
          const seen = session().bench.seen(path);
          return seen.length > 0 && seen;
        },
        BY_ITSELF_MS,
      );
      expect(request && told(request).type).toBe('alert.test');
    });

    it('of a contact reports immediately whether it arrived', async () => {
      const path = `/${session().key('refusing')}`;
      session().bench.respond(path, 500);
      const { id } = await newContact(session(), webhook(session(), path));
      const { status, body } = await session().write.post<Thing>(`/contacts/${id}/test`);
      expect([status, body]).toEqual([
        200,
        { state: 'failed', response_status: 500, error: expect.stringMatching(/./) },
      ]);
    });
  });

  describe('failed deliveries', () => {
    it('can be filtered by their state, but not by an unknown state', async () => {
      expect((await session().read.get('/deliveries?state=failed')).status).toBe(200);
      expectProblem(await session().read.get('/deliveries?state=pending'), 400, 'invalid_query');
      expectProblem(await session().read.get('/deliveries'), 400, 'invalid_query');
    });
  });
}
