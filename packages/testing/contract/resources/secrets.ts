import { MASK, masked } from '../session/forms';
import { expectProblem } from '../session/problems';
import type { TheSession } from '../session/session';
import { newAlert, newContact, newEndpoint, type Thing } from '../session/things';

const SECRET = 's3cret-of-the-contract';
const HEADERS = [
  { key: 'Authorization', value: `Bearer ${SECRET}` },
  { key: 'Content-Type', value: 'text/plain' },
];
/** A token in Telegram's format (https://core.telegram.org/bots/api#authorizing-your-bot). */
const TOKEN = `1234567890:${'a'.repeat(35)}`;

/** Tests who can see each value, and that sending back a masked value changes nothing. */
export function describeSecrets(session: TheSession): void {
  const confidential = () => ({
    enabled: false,
    type: 'HTTPS',
    url: `https://contract.example/?token=${SECRET}`,
    method: 'POST',
    headers: HEADERS,
    body: SECRET,
  });
  const telegram = () => ({ type: 'telegram', config: { bot_token: TOKEN, chat_id: '@contract' } });

  describe('a secret', () => {
    it('of an endpoint is visible to write keys: header values, body, and query', async () => {
      const { id } = await newEndpoint(session(), confidential());
      expect((await session().write.get(`/endpoints/${id}`)).body).toMatchObject(confidential());
    });

    it('of an endpoint is masked for read keys, alone and in lists', async () => {
      const { id, website_id } = await newEndpoint(session(), confidential());
      const paths = [
        `/endpoints/${id}`,
        `/websites/${String(website_id)}/endpoints`,
        `/overview?website_id=${String(website_id)}`,
      ];
      for (const path of paths)
        expect([path, (await session().read.get(path)).text]).toEqual([path, expect.not.stringContaining(SECRET)]);
      expect((await session().read.get(`/endpoints/${id}`)).body).toMatchObject({
        headers: [{ key: 'Authorization', value: masked() }, HEADERS[1]],
        body: masked(),
      });
    });

    it('of an endpoint is kept if its mask is sent back', async () => {
      const { id } = await newEndpoint(session(), confidential());
      const shown = (await session().read.get<Thing>(`/endpoints/${id}`)).body;
      const { status, body } = await session().write.put<Thing>(`/endpoints/${id}`, { ...shown, timeout: 8 });
      expect([status, body]).toEqual([200, expect.objectContaining({ ...confidential(), timeout: 8 })]);
    });

    it('of a channel is never shown, not even in the response that stores it', async () => {
      const alert = await newAlert(session(), telegram());
      const contact = await newContact(session(), telegram());
      const shown = [JSON.stringify([alert, contact])];
      for (const caller of [session().admin, session().write, session().read])
        for (const path of [`/alerts/${alert.id}`, `/contacts/${contact.id}`])
          shown.push((await caller.get(path)).text);
      expect(shown.filter((text) => text.includes(TOKEN))).toEqual([]);
      expect(alert).toMatchObject({ config: { bot_token: masked(), chat_id: '@contract' } });
    });

    it('of a channel is kept if its mask is sent back, and another mask is refused', async () => {
      const { id, config } = await newAlert(session(), telegram());
      const put = (bot_token: unknown) =>
        session().write.put<Thing>(`/alerts/${id}`, {
          config: { ...(config as object), bot_token, chat_id: '@other' },
        });
      const { bot_token } = config as { bot_token: string };
      expect((await put(bot_token)).body).toMatchObject({ config: { bot_token, chat_id: '@other' } });
      expectProblem(await put('********nonsense'), 400, 'validation_failed');
    });

    it('in the URL of a channel is visible to write keys and masked for read keys', async () => {
      const url = `https://contract.example/hooks/${SECRET}`;
      const { id } = await newAlert(session(), { config: { url } });
      const shownTo = async (role: 'write' | 'read') =>
        (await session()[role].get<{ config: { url: string } }>(`/alerts/${id}`)).body.config.url;
      expect(await shownTo('write')).toBe(url);
      expect((await shownTo('read')).split('/').at(-1)).toMatch(MASK);
    });

    it('is in no entry of the audit log', async () => {
      const endpoint = await newEndpoint(session(), confidential());
      const alert = await newAlert(session(), telegram(), endpoint.id);
      for (const { id } of [endpoint, alert]) {
        const { text, body } = await session().admin.get<Thing[]>(`/audit-log?resource_id=${id}`);
        expect(body).toHaveLength(1);
        expect(text).not.toMatch(new RegExp(`${SECRET}|${TOKEN}`));
      }
    });
  });
}
