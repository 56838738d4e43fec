/** @lane slow @alone @databases both */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { servicesOf } from '../../../packages/cli/database/identity-services';
import { peopleAction } from '../../../packages/cli/people/people-actions';
import { runPeople } from '../../../packages/cli/people/run-people';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Browser } from '../../harness/app/browser';
import { hashCheaply, newSecondFactor } from '../../harness/app/person';

// A process of the command loads the service's modules.
jest.setTimeout(240_000);

const ROOT = join(__dirname, '../../..');
const PASSWORD = 'three wise monkeys';
const GUIDE = readFileSync(join(ROOT, 'docs/guides/people/people.md'), 'utf8');

interface Listed {
  id: string;
  email: string | null;
  name: string;
  operator: boolean;
  identities: { issuer: string; subject: string }[];
  organizations: { name: string; role: string }[];
}
interface Session {
  role: string | null;
  operator: boolean;
  person: { id: string; name: string; email: string | null } | null;
}

// Errors in the command line or the settings are tested in packages/cli/people/people-command.spec.ts.
describe('uptime members', () => {
  let app: TestApp;
  let isServer: boolean;

  /** Runs the command as a separate process from the sources, with the settings of the service. */
  const people = (...words: string[]) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((settle) => {
      const settings = isServer ? { DATABASE_URL: app.config.databaseUrl ?? '' } : {};
      const child = execFile(
        process.execPath,
        ['-r', './scripts/typescript.cjs', 'packages/cli/uptime.ts', 'people', ...words],
        { cwd: ROOT, env: { PATH: process.env['PATH'], DATA_DIR: app.config.dataDir, ...settings } },
        (_, stdout, stderr) => settle({ code: child.exitCode, stdout, stderr }),
      );
    });

  /** Runs the same command on the services that the running application has already opened. */
  const peopleHere = (...words: string[]) =>
    runPeople(
      words,
      () => ({}),
      (request) => peopleAction(request)(servicesOf(app.app)),
    );

  const browser = () => new Browser(app);
  const tokenIn = (output: string | undefined): string => /#\/sign-in\/([\w-]{43})\s*$/.exec(output ?? '')?.[1] ?? '';
  const listed = async (email: string): Promise<Listed | undefined> => {
    const { output = '' } = await peopleHere('list', '--json');
    return (JSON.parse(output) as Listed[]).find((one) => one.email === email);
  };
  /** Creates an invitation with the command, and returns the user who accepted it. */
  async function joined(email: string, ...options: string[]): Promise<Browser> {
    const invited = await peopleHere('invite', email, ...options);
    const one = browser();
    const fields = { token: tokenIn(invited.output), name: email.split('@')[0], password: PASSWORD };
    expect((await one.send('POST', '/auth/account', fields)).status).toBe(201);
    return one;
  }

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' }, { durable: true });
    isServer = app.config.databaseUrl !== null;
    hashCheaply(app);
  });
  afterAll(() => app.close());

  it('prints a mistake on stderr and exits with code 2, help on stdout; names the process that has the embedded database', async () => {
    const [mistake, help, list] = await Promise.all([
      people('make'),
      people('--help'),
      isServer ? null : people('list'),
    ]);
    expect(mistake).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(/^usage: /) });
    expect(help).toEqual({ code: 0, stdout: expect.stringMatching(/^usage: /), stderr: '' });
    if (list) {
      const inUse = expect.stringContaining(`is in use by process ${process.pid}`);
      expect(list).toEqual({ code: 1, stdout: '', stderr: inUse });
    }
  });

  it('invites an operator and prints a link for each way back in; the audit logs show that it was the command line', async () => {
    await joined('ada@example.com', '--operator');
    // On PostgreSQL, the service keeps running.
    if (!isServer) await app.stop();
    const invited = await people('invite', 'Bo@Example.com', '--role', 'write', '--operator');
    const linked = await people('link', 'ada@example.com');
    if (!isServer) await app.restart();
    hashCheaply(app);
    expect([invited.code, invited.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^With this link, bo@example\.com can join Default as write and operator\. It works once, until 20/,
      ),
    ]);
    expect([linked.code, linked.stderr]).toEqual([
      0,
      expect.stringMatching(/^This link signs ada in\. It works once, until 20/),
    ]);

    const bo = browser();
    const fields = { token: tokenIn(invited.stdout), name: 'Bo', password: PASSWORD };
    expect((await bo.send<Session>('POST', '/auth/account', fields)).body).toMatchObject({
      role: 'write',
      operator: true,
      person: { email: 'bo@example.com' },
    });
    const ada = browser();
    const signIn = await ada.send<Session>('POST', '/auth/session', { sign_in_token: tokenIn(linked.stdout) });
    expect(signIn.body.person?.name).toBe('ada');
    const fresh = await ada.send('PUT', '/auth/account', { password: 'four wise monkeys' });
    expect(fresh.status).toBe(200);

    const byCommand = { via: 'command_line', person_id: null };
    const invitations = await app.admin.get<object[]>('/audit-log?resource=invitation');
    expect(invitations.body[0]).toMatchObject({ action: 'create', after: { role: 'write' }, author: byCommand });
    const changes = await app.admin.get<{ changed: string[] }[]>('/audit-log?resource=person');
    const linking = { action: 'update', changed: ['sign_in_link'], author: byCommand };
    expect(changes.body.filter(({ changed }) => changed.includes('sign_in_link'))).toMatchObject([linking]);
    const operators = await app.operator.get<object[]>('/organizations/audit-log?resource=person');
    expect(operators.body[0]).toMatchObject(linking);
    const logs = JSON.stringify([(await app.admin.get('/audit-log')).body, operators.body]);
    for (const secret of ['example.com', tokenIn(linked.stdout), tokenIn(invited.stdout)])
      expect(logs).not.toContain(secret);
  });

  it('restores the access of a person who lost it, as docs/guides/people/people.md describes', async () => {
    const lines = [...GUIDE.matchAll(/^npm run members -- (.*?) +#/gm)];
    const said = (action: string) => lines.flatMap(([, words = '']) => (words.startsWith(action) ? [words] : []));
    const does = async (words = '') => {
      const { exitCode, output } = await peopleHere(...words.replace('ada@', 'lost@').split(' '));
      expect([words, exitCode]).toEqual([words, 0]);
      return output ?? '';
    };
    expect(lines).toHaveLength(5);
    const [[invite], [link], [list]] = [said('invite'), said('link'), said('ls')];
    const fields = { token: tokenIn(await does(invite)), name: 'Lost', password: PASSWORD };
    const { body } = await browser().send<Session>('POST', '/auth/account', fields);
    expect(body).toMatchObject({ role: 'admin', operator: true });
    const back = { sign_in_token: tokenIn(await does(link)) };
    expect((await browser().send<Session>('POST', '/auth/session', back)).body.person?.name).toBe('Lost');
    expect(await does(list)).toContain('lost@example.com');
    await peopleHere('delete', 'lost@example.com');
  });

  it('lists people, as a table and for programs', async () => {
    const cy = await joined('cy@example.com', '--role', 'read');
    const { body } = await cy.send<Session>('GET', '/auth/session');
    const table = ((await peopleHere('list')).output ?? '').split('\n');
    expect(table[0]).toMatch(/^ID +EMAIL +NAME +ORGANIZATIONS +OPERATOR +SIGN-IN METHODS +LAST SIGN-IN$/);
    expect(table.find((line) => line.includes('cy@example.com'))).toMatch(
      new RegExp(`^${body.person?.id} +cy@example\\.com +cy +Default \\(read\\) +no +password +20`),
    );
    expect(await listed('cy@example.com')).toMatchObject({ id: body.person?.id, operator: false, identities: [] });
  });

  it('names each account by its id if several have one email, and ends the open links of one', async () => {
    await joined('twin@example.com', '--role', 'read');
    const first = (await listed('twin@example.com'))?.id ?? '';
    const other = await app.organization('Twins');
    const { body } = await other.admin.post<{ token: string }>('/invitations', {
      email: 'twin@example.com',
      role: 'read',
    });
    const second = browser();
    const made = await second.send<Session>('POST', '/auth/account', {
      token: body.token,
      name: 'Second',
      password: 'a mill by the river',
    });
    expect(made.status).toBe(201);
    const several = await peopleHere('link', 'twin@example.com');
    expect(several.exitCode).toBe(1);
    for (const id of [first, made.body.person?.id ?? '']) expect(several.remark).toContain(id);
    const { output } = await peopleHere('link', first);
    expect((await peopleHere('unlink', first)).remark).toBe('Revoked 1 open link of twin.');
    expect((await browser().send('POST', '/auth/session', { sign_in_token: tokenIn(output) })).status).toBe(401);
  });

  it('changes who is operator and the email, by email or id, at once', async () => {
    const di = await joined('di@example.com', '--role', 'read');
    const id = (await listed('di@example.com'))?.id ?? '';
    const operator = async () => (await di.send<Session>('GET', '/auth/session')).body.operator;
    expect(await peopleHere('operator', id, 'on')).toEqual({ exitCode: 0, remark: 'di is now an operator.' });
    expect(await operator()).toBe(true);
    await peopleHere('operator', 'DI@example.com', 'off');
    expect(await operator()).toBe(false);
    expect((await peopleHere('email', 'di@example.com', 'Diana@Example.com')).exitCode).toBe(0);
    const signIn = (email: string) => browser().send('POST', '/auth/session', { email, password: PASSWORD });
    expect([(await signIn('diana@example.com')).status, (await signIn('di@example.com')).status]).toEqual([201, 401]);
    expect(await peopleHere('email', id, 'ada@example.com')).toEqual({
      exitCode: 1,
      remark: 'The email ada@example.com already belongs to another account.',
    });
  });

  it('connects accounts to users of the proxy, and disconnects them', async () => {
    await joined('ed@example.com');
    const ed = await peopleHere('connect', 'ed@example.com', 'ed', '--proxy');
    expect(ed).toEqual({ exitCode: 0, remark: 'ed can now sign in as ed.' });
    expect((await listed('ed@example.com'))?.identities).toMatchObject([{ issuer: 'proxy', subject: 'ed' }]);
    expect(await peopleHere('connect', 'ada@example.com', 'ed', '--proxy')).toMatchObject({ exitCode: 1 });
    expect(await peopleHere('connect', 'ed@example.com', 'ed')).toEqual({
      exitCode: 1,
      remark: expect.stringMatching(/^OIDC_ISSUER is not set/),
    });
    expect(await peopleHere('disconnect', 'ed@example.com')).toEqual({
      exitCode: 0,
      remark: 'Removed 1 connection of ed.',
    });
    expect((await listed('ed@example.com'))?.identities).toEqual([]);
  });

  it('resets a second factor, for a person who has lost the app and the recovery codes', async () => {
    const kit = await joined('kit@example.com', '--role', 'read');
    await newSecondFactor({ browser: kit });
    expect(await listed('kit@example.com')).toMatchObject({ second_factor: { recovery_codes_left: 10 } });
    const signIn = () => browser().send('POST', '/auth/session', { email: 'kit@example.com', password: PASSWORD });
    expect((await signIn()).status).toBe(401);
    expect(await peopleHere('reset-second-factor', 'kit@example.com')).toEqual({
      exitCode: 0,
      remark: 'kit now signs in with only the password.',
    });
    expect((await signIn()).status).toBe(201);
    expect(await peopleHere('reset-second-factor', 'kit@example.com')).toEqual({
      exitCode: 1,
      remark: 'kit has no second factor.',
    });
    const log = await app.admin.get<{ action: string }[]>('/audit-log?resource=person');
    expect(log.body.find(({ action }) => action === 'update')).toMatchObject({
      changed: ['second_factor'],
    });
  });

  it('erases a person, but not the last administrator of others', async () => {
    const flo = await joined('flo@example.com', '--role', 'read');
    expect(await peopleHere('delete', 'flo@example.com')).toEqual({ exitCode: 0, remark: 'Erased flo.' });
    expect((await flo.send('GET', '/auth/account')).status).toBe(401);
    expect(await peopleHere('delete', 'flo@example.com')).toEqual({
      exitCode: 1,
      remark: 'No user has the email or ID flo@example.com. Use ls to show all users.',
    });
    await joined('gil@example.com', '--role', 'read');
    await peopleHere('delete', 'ed@example.com');
    expect(await peopleHere('delete', 'ada@example.com')).toEqual({
      exitCode: 1,
      remark: expect.stringMatching(/^Default: another member has to be an administrator first/),
    });
    const [newest] = (await app.admin.get<object[]>('/audit-log?resource=person')).body;
    expect(newest).toMatchObject({ action: 'delete', before: { role: 'admin' } });
  });

  it.each([
    [['invite', 'ada@example.com'], /^This user is already a member of this organization/],
    [
      ['invite', 'hal@example.com', '--organization', 'Nobody'],
      /^No organization has the name or ID Nobody\. The organizations are: Default/,
    ],
    [['link', 'nobody@example.com'], /^No user has the email or ID nobody@example\.com/],
  ])('%j exits with code 1 and explains why', async (words, text) => {
    expect(await peopleHere(...words)).toEqual({ exitCode: 1, remark: expect.stringMatching(text) });
  });
});
