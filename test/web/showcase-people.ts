import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import type { TestApp } from '../harness/app/app';
import { Browser } from '../harness/app/browser';
import { hashCheaply, newPerson, PASSWORD } from '../harness/app/person';

const SESSIONS = [
  ['invitation', 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', '198.51.100.31'],
  ['password', 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) Version/19.1 Safari/604.1', '203.0.113.80'],
] as const;

/**
 * Adds three members and an invited user. Ada is an admin, has two sessions, and is linked to the single sign-on
 * provider. Bo has created a key. Returns Ada's browser.
 */
export async function addPeople(app: TestApp): Promise<Browser> {
  hashCheaply(app);
  const ada = await newPerson(app.admin, 'Ada Lovelace', 'admin');
  const bo = await newPerson(app.admin, 'Bo Larsen', 'admin');
  await newPerson(app.admin, 'Chandra Rao', 'read');
  await bo.send('POST', '/api/v1/api-keys', { name: 'Terraform', role: 'write' });
  await ada.send('POST', '/api/v1/invitations', { email: 'dilan@example.com', role: 'write' });
  await new Browser(app).send('POST', '/auth/session', { email: 'ada.lovelace@example.com', password: PASSWORD });
  const database = app.app.get(Database);
  const id = parseId('person', ada.id);
  await database.query(
    `INSERT INTO identity (issuer, subject, person_id, created_at) VALUES ('https://id.example.com', 'lovelace', $1, now())`,
    [id],
  );
  for (const [via, userAgent, address] of SESSIONS)
    await database.query('UPDATE session SET user_agent = $3, address = $4 WHERE person_id = $1 AND via = $2', [
      id,
      via,
      userAgent,
      address,
    ]);
  return ada;
}
