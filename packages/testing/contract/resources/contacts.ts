import { idWith, timestamp } from '../session/forms';
import { expectFieldError, expectProblem } from '../session/problems';
import type { TheSession } from '../session/session';
import { newContact, newEndpoint, type Thing, webhook } from '../session/things';

interface Previewed {
  messages: { kind: string; body: string }[];
}

/** Tests channels that are configured once and used by many alerts. */
export function describeContacts(session: TheSession): void {
  const through = async (contactId: string, endpointId?: string) => {
    const endpoint_id = endpointId ?? (await newEndpoint(session(), { enabled: false })).id;
    return session().write.post<Thing>('/alerts', { endpoint_id, contact_id: contactId });
  };
  const read = async (id: string) => (await session().read.get<Thing>(`/contacts/${id}`)).body;

  describe('a contact', () => {
    it('is created from name, type, and config with 201, a Location, and every field', async () => {
      const sent = { name: session().name('contact'), ...webhook(session()) };
      const { status, headers, body } = await session().write.post<Thing>('/contacts', sent);
      expect([status, session().leadsTo(headers['location'], '/api/v1/contacts')]).toEqual([
        201,
        `/api/v1/contacts/${body.id}`,
      ]);
      expect(body).toMatchObject({
        ...sent,
        id: idWith('ct'),
        default: false,
        alert_count: 0,
        last_delivery: null,
        failing_since: null,
        created_at: timestamp(),
        updated_at: body['created_at'],
      });
    });

    it('is refused without a config', async () => {
      expectFieldError(await session().write.post('/contacts', { name: 'x', type: 'webhook' }), '/config', 'required');
    });

    it('is previewed with one request for each kind of message, without credentials, and nothing is sent', async () => {
      const secret = `whsec_${Buffer.from('a-secret-of-thirty-two-bytes-.-.').toString('base64')}`;
      const body = { text: '{{title}}', urgent: { $switch: 'state', down: true, default: false } };
      const { status, body: preview } = await session().write.post<Previewed>('/contacts/preview', {
        ...webhook(session(), '/previewed', { secret, body }),
      });
      expect([status, preview.messages.map(({ kind }) => kind)]).toEqual([
        200,
        ['triggered', 'reminder', 'resolved', 'expiry', 'contact_failing', 'test'],
      ]);
      expect(preview.messages.map((message) => JSON.parse(message.body) as unknown).slice(0, 3)).toEqual([
        { text: 'Checkout API is down', urgent: true },
        { text: 'Checkout API is still down', urgent: true },
        { text: 'Checkout API is back up', urgent: false },
      ]);
      expect(JSON.stringify(preview)).not.toContain(secret);
      expectFieldError(
        await session().write.post('/contacts/preview', webhook(session(), '/x', { body: { a: '{{titles}}' } })),
        '/config/body/a',
        'unknown_placeholder',
      );
    });

    it('changes only in the fields that are sent', async () => {
      const { id } = await newContact(session());
      const before = (await session().write.get<Thing>(`/contacts/${id}`)).body;
      const name = session().name('renamed');
      const { body } = await session().write.put<Thing>(`/contacts/${id}`, { name });
      expect(body).toEqual({ ...before, name, updated_at: timestamp() });
    });

    it('gives its type to an alert that uses it, and counts the alert', async () => {
      const { id } = await newContact(session());
      expect((await through(id)).body).toMatchObject({ contact_id: id, type: 'webhook' });
      expect(await read(id)).toMatchObject({ alert_count: 1 });
    });

    it('cannot be deleted while alerts use it, unless they move to another one', async () => {
      const [old, other] = [await newContact(session()), await newContact(session())];
      const alert = (await through(old.id)).body.id;
      expectProblem(await session().write.delete(`/contacts/${old.id}`), 409, 'conflict');
      expect((await session().write.delete(`/contacts/${old.id}?replace_with=${other.id}`)).status).toBe(204);
      expect((await session().read.get(`/alerts/${alert}`)).body).toMatchObject({ contact_id: other.id });
    });

    it('gets its missing alerts on many endpoints at once, each only once', async () => {
      const { id } = await newContact(session());
      const endpoints = [
        await newEndpoint(session(), { enabled: false }),
        await newEndpoint(session(), { enabled: false }),
      ];
      await through(id, endpoints[0]?.id);
      const scope = { endpoint_ids: endpoints.map((endpoint) => endpoint.id) };
      const add = () => session().write.post<object>(`/contacts/${id}/alerts`, { scope });
      expect([(await add()).body, (await add()).body]).toEqual([
        { created: 1, existing: 1 },
        { created: 0, existing: 2 },
      ]);
    });
  });
}
