/** @lane slow */
import { Database } from '../../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { hashCheaply } from '../../harness/app/person';
import { routesOf } from '../../harness/app/routes';
import { HostileIssuer } from '../../harness/servers/hostile-issuer';
import { type EventName, EVENTS, NO_EVENTS, type TokenEvent } from './tokens/events';
import { TokenScene } from './tokens/scene';
import { TABLE } from './tokens/table';
import { COLUMNS, TOKEN_KINDS, type TokenKind } from './tokens/token-kinds';
import { MAKE } from './tokens/uses';

const NAMES = Object.keys(EVENTS) as EventName[];
/** A column of bytes, or with a name that suggests a credential. */
const MAY_BE_A_TOKEN = `data_type = 'bytea' OR column_name ~ '(token|hash|lookup|secret|password|ping_id|ping_key|pepper)'`;

/** test/repository/token-kinds.spec.ts finds the places that create tokens. */
describe('a token', () => {
  let app: TestApp;
  let issuer: HostileIssuer;

  beforeAll(async () => {
    issuer = await HostileIssuer.start();
    app = await startOwnApp({
      role: 'api',
      publicUrl: 'https://uptime.example.com',
      oidcIssuer: issuer.url,
      oidcClientId: 'uptime',
    });
    hashCheaply(app);
  });
  afterAll(async () => {
    await app.close();
    await issuer.close();
  });
  // Requests without a key are counted by address.
  beforeEach(() => app.advance('5 s'));

  it('of each kind has a cell for each event', () => {
    for (const kind of TOKEN_KINDS) {
      const { works, ends, never } = TABLE[kind];
      expect([kind, [...works, ...ends, ...Object.keys(never)].sort()]).toEqual([kind, [...NAMES].sort()]);
    }
  });

  it('is stored in no column that is not in the table', async () => {
    const columns = await app.app.get(Database).query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns c
         JOIN information_schema.tables t USING (table_schema, table_name)
        WHERE table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND (${MAY_BE_A_TOKEN})
          AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = to_regclass(table_name)) ORDER BY name`,
    );
    expect(columns.map(({ name }) => name)).toEqual(Object.keys(COLUMNS).sort());
    const kept = Object.values(COLUMNS).flatMap((each) => ('tokens' in each ? each.tokens : []));
    expect(TOKEN_KINDS.filter((kind) => !kept.includes(kind))).toEqual([
      'flow of an invitation',
      'acknowledgement link',
      'cursor',
    ]);
  });

  it('is tested after every change of people, keys, and organizations, except those with a reason', () => {
    const changes = routesOf(app.app)
      .filter(
        ({ method, path }) =>
          method !== 'GET' && /^\/(auth|api\/v1\/(people|invitations|api-keys|organizations))\b/.test(path),
      )
      .map(({ name }) => name);
    const covered = Object.values<TokenEvent>(EVENTS).flatMap(({ routes }) => routes);
    expect([...new Set([...covered, ...Object.keys(NO_EVENTS)])].sort()).toEqual(changes.sort());
  });

  describe.each(TOKEN_KINDS.map((kind) => [kind]))('of the kind "%s"', (kind: TokenKind) => {
    const { works, ends, why } = TABLE[kind];
    const after = async (name: EventName): Promise<boolean> => {
      const event: TokenEvent = EVENTS[name];
      const scene = await TokenScene.make(app, issuer, event.isByKey === true);
      const use = await MAKE[kind](scene);
      await event.happen(scene);
      return use();
    };

    it.each(works.map((name) => [name]))(`works after "%s" (${why})`, async (name) => {
      expect(await after(name)).toBe(true);
    });

    it.each(ends.map((name) => [name]))('does not work after "%s"', async (name) => {
      expect(await after(name)).toBe(false);
    });
  });
});
