/** @lane timed */
import { Passwords } from '../../../src/identity/person/passwords.service';
import { Database } from '../../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { hashCheaply, newPerson, PASSWORD } from '../../harness/app/person';

const ROUNDS = 200;
/** The number of users of each kind. Strangers have a hundred guesses for each. */
const PEOPLE = 3;

const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;

describe('the time of a refused password', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', rateLimitPerSecond: 0, trustedProxies: ['127.0.0.0/8'] });
    hashCheaply(app);
    for (let n = 0; n < PEOPLE; n++) {
      await newPerson(app.admin, `Wrong ${n}`);
      await newPerson(app.admin, `None ${n}`);
    }
    await app.app.get(Database).query(`UPDATE person SET password = NULL WHERE email LIKE 'none%'`);
    app.app.get(Passwords).cost = { ln: 12, r: 8, p: 1 };
    await app.app.get(Database).query(`UPDATE person SET password = replace(password, 'ln=4', 'ln=12')`);
  });
  afterAll(() => app.close());

  async function refusedAfter(email: string, from: string): Promise<number> {
    const began = performance.now();
    const { status } = await fetch(`${app.url}/auth/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify({ email, password: `${PASSWORD} not` }),
    });
    expect(status).toBe(401);
    return performance.now() - began;
  }

  it('is the same, within a tenth, for a wrong password, an email without a password, and an unknown email', async () => {
    const kinds = ['wrong', 'none', 'unknown'];
    const times: number[][] = kinds.map(() => []);
    for (let round = 0; round < ROUNDS; round++)
      // All three at once, in a changing order, so that load on the machine affects each of them.
      await Promise.all(
        kinds.map(async (_, place) => {
          const kind = (place + round) % kinds.length;
          const from = `192.0.${kind}.${round % 250}`;
          times[kind]?.push(await refusedAfter(`${kinds[kind]}.${round % PEOPLE}@example.com`, from));
        }),
      );
    const medians = times.map(median);
    const [least, most] = [Math.min(...medians), Math.max(...medians)];
    expect({ ratio: most / least, isSame: most / least < 1.1 }).toMatchObject({ isSame: true });
  });
});
