/** @lane slow */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { InstallationPeople } from '../../../src/identity/people/installation-people.service';
import { sealFlow } from '../../../src/identity/single-sign-on/flow-cookie';
import { SignInLinks } from '../../../src/identity/session/sign-in-links';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { SERVER_SECRETS, ServerSecrets } from '../../../src/platform/secrets/server-secrets';
import { codeAt, stepAt } from '../../../src/identity/person/totp';
import { Clock } from '../../../src/platform/time/clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Browser } from '../../harness/app/browser';
import { fromBase32, hashCheaply, newInvitation, newMember, newPerson, PASSWORD } from '../../harness/app/person';
import { newWebsite } from '../../harness/app/resources';
import { HostileIssuer } from '../../harness/servers/hostile-issuer';

const HOME = 'https://uptime.example.com';
const SRC = join(__dirname, '../../../src');

/**
 * Every place in the source that verifies a credential. Each one is admitted to a lookup first, counts a guess, or
 * uses a secret of the server. `columns` contain the hashes of such credentials. `readable` is the reason why a
 * reader of the database may have them.
 */
const JUDGES: Readonly<Record<string, { columns?: readonly string[]; secret?: string; readable?: string }>> = {
  'identity/credentials.ts': { columns: ['api_key.hash', 'probe.hash'] },
  'identity/session/sign-in.service.ts': { columns: ['api_key.hash', 'sign_in_link.hash'] },
  'identity/session/person-sign-in.ts': { columns: ['person.password', 'second_factor.secret', 'recovery_code.hash'] },
  'identity/people/account.service.ts': { columns: ['person.password'] },
  'identity/people/join.service.ts': { columns: ['person.password'] },
  'identity/people/own-second-factor.service.ts': { columns: ['second_factor.secret', 'recovery_code.hash'] },
  'identity/session/request-sessions.ts': { columns: ['session.hash'], secret: 'proxy_user' },
  'identity/people/tokens.ts': { columns: ['invitation.hash', 'sign_in_link.hash'] },
  'identity/single-sign-on/flows.ts': { columns: ['session.connect_hash'], secret: 'single_sign_on' },
  'identity/api-key/api-key.service.ts': { columns: ['api_key.hash'], secret: 'api_key_pepper' },
  'probe/stored-probe-tokens.ts': { columns: ['probe.hash'], secret: 'api_key_pepper' },
  'alert/acknowledgement/acknowledge-link.service.ts': { secret: 'acknowledge_link' },
  'delivery/send/message-links.ts': { secret: 'acknowledge_link' },
  'heartbeat/ping.middleware.ts': {
    readable: 'The addresses of pings are shown to every write key: docs/concepts/security-model.md says that a copy has them.',
  },
  // No credentials: their results are opaque, or show that something is unchanged.
  'identity/session/known-networks.ts': { secret: 'network' },
  'platform/http/cursors.ts': { secret: 'cursor' },
  'platform/http/precondition/entity-tags.ts': { secret: 'entity_tag' },
  'monitoring/probes/poll/poll-cursors.ts': { secret: 'cursor' },
  'history/write/history-writer.ts': { secret: 'check_id' },
  'history/read/check-list.service.ts': { secret: 'check_id' },
  'stream/stream-reader.ts': { secret: 'check_id' },
};

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesOf(path);
    return /(?<!\.spec)\.ts$/.test(path) ? [path] : [];
  });
}

/** Returns the files that verify credentials, with the server secrets that each uses. */
function judgesInSource(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const path of filesOf(SRC)) {
    const text = readFileSync(path, 'utf8');
    const secrets = [...text.matchAll(/secrets\.get\('(\w+)'\)/g)].map(([, name = '']) => name);
    const isAdmitting = /\.(admitLookUp|admitPing|guess)\(/.test(text) && !path.endsWith('rate-limits.ts');
    if (secrets.length > 0 || isAdmitting) found.set(relative(SRC, path), [...new Set(secrets)]);
  }
  return found;
}

/** The pieces of a copy of the database as bytes: every value, and its decoded forms. */
class Copy {
  /** By `latin1` text. */
  readonly atoms = new Map<string, Buffer>();
  /** `table.column` of the stored value. */
  readonly columns = new Map<string, Set<string>>();

  add(column: string, value: unknown): void {
    if (Buffer.isBuffer(value)) this.keep(column, value);
    else if (Array.isArray(value)) value.forEach((one) => this.add(column, one));
    else if (value instanceof Date) this.keep(column, Buffer.from(value.toISOString()));
    else if (typeof value === 'object' && value !== null)
      Object.values(value).forEach((one: unknown) => this.add(column, one));
    else if (typeof value === 'string' && value !== '') this.addText(column, value);
  }

  private addText(column: string, text: string): void {
    this.keep(column, Buffer.from(text));
    const uuid = text.replaceAll('-', '');
    if (/^[0-9a-f]{32,}$/i.test(uuid)) this.keep(column, Buffer.from(uuid, 'hex'));
    for (const part of text.split(/[^A-Za-z0-9+/_=-]/))
      if (part.length >= 22) this.keep(column, Buffer.from(part, 'base64'));
  }

  private keep(column: string, bytes: Buffer): void {
    const text = bytes.toString('latin1');
    this.atoms.set(text, bytes);
    this.columns.set(text, (this.columns.get(text) ?? new Set()).add(column));
  }

  has(bytes: Buffer): boolean {
    return this.atoms.has(bytes.toString('latin1'));
  }

  columnsOf(bytes: Buffer): string[] {
    return [...(this.columns.get(bytes.toString('latin1')) ?? [])];
  }
}

const textsOf = (bytes: Buffer): string[] => [
  bytes.toString('utf8'),
  ...(['hex', 'base64', 'base64url'] as const).map((encoding) => bytes.toString(encoding)),
];
const sha256 = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest();
const hmac = (key: Buffer, text: string | Buffer): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * Yields the texts that a reader can compute from a copy: its pieces, their hashes, and the HMAC of each piece with
 * each possible key.
 */
function* derivedFrom(copy: Copy): Generator<string> {
  const pieces = [...copy.atoms.values()];
  const keys = pieces.filter(({ length }) => length >= 20 && length <= 64);
  for (const piece of pieces) {
    yield* textsOf(piece);
    yield* textsOf(sha256(piece));
  }
  for (const key of keys)
    for (const piece of pieces) if (piece.length <= 100) yield hmac(key, piece).toString('base64url');
}

/**
 * Returns the columns whose credential a reader of the copy can compute, because it contains both the hash and its
 * input.
 */
function forgedFrom(copy: Copy): string[] {
  const found = new Set<string>();
  for (const text of derivedFrom(copy)) for (const column of copy.columnsOf(sha256(text))) found.add(column);
  return [...found].sort();
}

describe('a thief with a copy of the database and without SECRETS_KEYS', () => {
  let app: TestApp;
  let issuer: HostileIssuer;
  let copy: Copy;
  let totpSecret: Buffer;
  let recoveryCodes: string[];

  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    app.app.get(Database).query<Row>(text, values);
  const secretOf = (name: (typeof SERVER_SECRETS)[number]) => app.app.get(ServerSecrets).get(name);
  const proxied = { 'remote-user': 'pat', 'remote-groups': 'ops' };
  const begin = (browser: Browser, body: object) => browser.send<{ location: string }>('POST', '/auth/oidc', body);

  async function copyDatabase(): Promise<Copy> {
    const made = new Copy();
    const tables = await sql<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables)
      for (const row of await sql<Record<string, unknown>>(`SELECT * FROM "${name}"`))
        for (const [column, value] of Object.entries(row)) made.add(`${name}.${column}`, value);
    return made;
  }

  beforeAll(async () => {
    issuer = await HostileIssuer.start();
    app = await startOwnApp({
      role: 'api',
      secretsKeys: [`k1:${randomBytes(32).toString('base64')}`],
      publicUrl: HOME,
      oidcIssuer: issuer.url,
      oidcClientId: 'uptime',
      trustedProxies: ['127.0.0.0/8'],
      proxyUserHeader: 'Remote-User',
      proxyGroupsHeader: 'Remote-Groups',
      groupRoles: ['ops=Default:admin'],
    });
    hashCheaply(app);
    // One credential of each kind.
    const ada = await newPerson(app.admin, 'Ada', 'admin');
    const { id } = await newMember(app);
    const withApp = await newMember(app);
    const { body } = await withApp.browser.send<{ secret: string }>('POST', '/auth/account/second-factor', {
      current_password: PASSWORD,
    });
    totpSecret = fromBase32(body.secret);
    const code = codeAt(totpSecret, stepAt(app.app.get(Clock).now()));
    recoveryCodes = (
      await withApp.browser.send<{ recovery_codes: string[] }>('POST', '/auth/account/second-factor/confirm', { code })
    ).body.recovery_codes;
    await newInvitation(app);
    await app.admin.post(`/people/${id}/password-link`, {});
    await app.app.get(InstallationPeople).signInLink(parseId('person', ada.id) ?? '');
    await app.app.get(SignInLinks).create();
    await app.admin.post('/probes', { key: 'berlin' });
    await newWebsite(app.write);
    await new Browser(app).send('POST', '/auth/session', { api_key: app.admin.key });
    await app.admin.post('/websites', { name: 'W', url: 'https://w.example' }, { 'idempotency-key': 'once' });
    expect((await ada.send('GET', '/auth/session', undefined, proxied)).status).toBe(200);
    expect((await begin(ada, { connect: true })).status).toBe(200);
    copy = await copyDatabase();
  });
  afterAll(async () => {
    await app.close();
    await issuer.close();
  });

  it('meets no credential that this test does not know: every place that checks one declares what is stored of it', () => {
    const found = judgesInSource();
    expect([...found.keys()].sort()).toEqual(Object.keys(JUDGES).sort());
    for (const [file, secrets] of found) {
      const { secret, columns, readable } = JUDGES[file] ?? {};
      expect([file, secrets.length === 0 || secrets.includes(secret ?? '')]).toEqual([file, true]);
      expect([file, secret ?? columns ?? readable]).not.toEqual([file, undefined]);
    }
    const stored = new Set([...copy.columns.values()].flatMap((columns) => [...columns]));
    for (const column of Object.values(JUDGES).flatMap(({ columns = [] }) => columns)) expect(stored).toContain(column);
  });

  it('finds no secret of the server in it', () => {
    for (const name of SERVER_SECRETS) expect([name, copy.has(secretOf(name))]).toEqual([name, false]);
  });

  it('finds neither the secret of an authenticator app nor a recovery code in it', () => {
    expect(recoveryCodes).toHaveLength(10);
    for (const secret of [totpSecret, ...recoveryCodes.map((code) => Buffer.from(code))])
      expect(copy.has(secret)).toBe(false);
  });

  it('cannot use the session of a proxy user as a cookie, even with the secret that creates it', async () => {
    const token = hmac(secretOf('proxy_user'), 'pat').toString('base64url');
    expect(copy.columnsOf(sha256(token))).toEqual(['session.hash']);
    for (const cookie of [`__Host-uptime_session=${token}`, `uptime_session=${token}`]) {
      expect((await fetch(`${app.url}/auth/session`, { headers: { cookie } })).status).toBe(204);
      expect((await fetch(`${app.url}/api/v1/websites`, { headers: { cookie } })).status).toBe(401);
    }
  });

  it('cannot connect their own identity to another user, even with the secret that signs the flow', async () => {
    const [session] = await sql<{ id: string; personId: string; hash: Buffer; connectHash: Buffer }>(
      `SELECT id, person_id AS "personId", hash, connect_hash AS "connectHash" FROM session WHERE connect_hash IS NOT NULL`,
    );
    if (!session) throw new Error('no session may connect an identity');
    const proofs = [session.id, ...[session.hash, session.connectHash].map((bytes) => bytes.toString('base64url'))];
    for (const proof of proofs) {
      const eve = new Browser(app);
      const { location } = (await begin(eve, {})).body;
      issuer.person = { sub: 'eve' };
      const [state, nonce] = ['state', 'nonce'].map((name) => new URL(location).searchParams.get(name) ?? '');
      const flow = {
        state: state ?? '',
        nonce: nonce ?? '',
        verifier: 'v'.repeat(43),
        token: null,
        beganAt: Date.now(),
      };
      const forged = sealFlow({ ...flow, connect: { personId: session.personId, proof } }, secretOf('single_sign_on'));
      const cookie = `uptime_oidc=${forged}`;
      const back = await fetch(`${app.url}/auth/oidc/callback${issuer.signIn(location)}`, {
        headers: { cookie },
        redirect: 'manual',
      });
      expect(back.headers.get('location')).toBe(`${HOME}/#/sign-in/problem/expired`);
    }
    expect(await sql("SELECT FROM identity WHERE subject = 'eve'")).toEqual([]);
  });

  it('has not signed out the users whose credentials were copied', async () => {
    const credentials = { email: 'ada@example.com', password: PASSWORD };
    expect((await new Browser(app).send('POST', '/auth/session', credentials)).status).toBe(201);
    expect((await new Browser(app).send('GET', '/auth/session', undefined, proxied)).status).toBe(200);
  });

  it('can compute nothing from its rows whose hash is the stored hash of a credential', () => {
    expect(forgedFrom(copy)).toEqual([]);
  });

  it('could compute the session of a proxy user if the secrets were in it, so this test would find that', () => {
    const readable = new Copy();
    for (const [text, columns] of copy.columns)
      for (const column of columns) readable.add(column, Buffer.from(text, 'latin1'));
    readable.add('server_secret.value', secretOf('proxy_user'));
    expect(forgedFrom(readable)).toContain('session.hash');
  });
});
