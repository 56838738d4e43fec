import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf } from './people-text';
import { runPeople } from './run-people';

/** An unreachable database. A command that tried to use it would make the test wait for a minute. */
const unreachable = () => ({ DATABASE_URL: 'postgres://monitor@127.0.0.1:1/monitor' });
const unread = (): never => {
  throw new Error('the settings were read');
};

describe('uptime members', () => {
  it('--help explains every action and option', async () => {
    const help = await runPeople(['--help'], unread);
    expect(help).toEqual({ exitCode: 0, output: expect.stringMatching(/^usage: uptime members ls /) });
    const actions = ['ls', 'invite', 'link', 'operator', 'email', 'connect', 'disconnect', 'reset-second-factor', 'rm'];
    for (const word of [...actions, '--role', '--organization', '--operator', '--proxy', '--json', 'Exit code'])
      expect(help.output).toContain(word);
  });

  it.each([
    [[], /^usage: /],
    [['remove', 'bo@example.com'], /^usage: /],
    [['invite'], /^usage: /],
    [['list', 'more'], /^usage: /],
    [['operator', 'bo@example.com'], /^usage: /],
    [['list', '--colour'], /Unknown option '--colour'/],
    [['list', '--proxy'], /^--proxy cannot be used with list$/],
    [['delete', 'bo@example.com', '--json'], /^--json cannot be used with delete$/],
    [['rm', 'bo@example.com', '--json'], /^--json cannot be used with rm$/],
    [['operator', 'bo@example.com', 'yes'], /^operator must be on or off, not yes$/],
    [['connect', 'bo@example.com', ''], /^SUBJECT must have 1 to 255 visible characters/],
    [['connect', 'bo@example.com', 'a\u202eb'], /^SUBJECT must have 1 to 255 visible characters/],
  ])('%j exits with code 2 and explains why, before the settings are read', async (words, text) => {
    expect(await runPeople(words, unread)).toEqual({ exitCode: 2, remark: expect.stringMatching(text) });
  });

  it.each([
    [['invite', 'bo@example.com', '--role', 'boss'], /^--role must be one of/],
    [['invite', 'bo'], /^EMAIL must be an email address/],
    [['email', 'bo@example.com', 'bo at example.com'], /^EMAIL must be an email address/],
  ])('%j is refused by the API rules before the database is opened', async (words, text) => {
    expect(await runPeople(words, unreachable)).toEqual({ exitCode: 2, remark: expect.stringMatching(text) });
  });

  it.each([
    ['a wrong setting', { PORT: 'x' }, /^PORT must be a whole number/],
    [
      'a database in memory',
      { DATABASE_URL: 'embedded:memory' },
      /^DATABASE_URL: only the running service can use a database in memory/,
    ],
  ])('%s exits with code 1', async (_what, environment, text) => {
    expect(await runPeople(['list'], () => environment)).toEqual({ exitCode: 1, remark: expect.stringMatching(text) });
  });

  it('does not create a database if none exists', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'uptime-people-'));
    expect(await runPeople(['list'], () => ({ DATA_DIR: folder }))).toEqual({
      exitCode: 1,
      remark: expect.stringMatching(/^DATA_DIR: .* contains no database\. Set DATA_DIR/),
    });
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

describe('addressOf', () => {
  it.each([
    [
      { publicUrl: 'https://uptime.example.com/monitor', host: '0.0.0.0', port: 3000 },
      'https://uptime.example.com/monitor',
    ],
    [{ publicUrl: null, host: '127.0.0.1', port: 3000 }, 'http://127.0.0.1:3000'],
    [{ publicUrl: null, host: '0.0.0.0', port: 80 }, 'http://localhost:80'],
    [{ publicUrl: null, host: 'fd00::1', port: 3000 }, 'http://[fd00::1]:3000'],
  ])('with %j returns a URL that starts with %s', (settings, base) => {
    expect(addressOf(settings, 'rV8')).toBe(`${base}/#/sign-in/rV8`);
  });
});
