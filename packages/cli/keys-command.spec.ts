import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runKeys } from './keys-command';

/** An unreachable database. A command that tried to use it would make the test wait for a minute. */
const unreachable = () => ({ DATABASE_URL: 'postgres://monitor@127.0.0.1:1/monitor' });
const unread = (): never => {
  throw new Error('the settings were read');
};

describe('keys', () => {
  it('--help explains every option', async () => {
    const help = await runKeys(['--help'], unread);
    expect(help).toEqual({ exitCode: 0, output: expect.stringMatching(/^usage: npm run keys -- create /) });
    for (const word of ['--role', '--name', '--expires', '--organization', '--json', 'Exit code'])
      expect(help.output).toContain(word);
  });

  it.each([
    [[], /^usage: /],
    [['make'], /^usage: /],
    [['revoke'], /^usage: /],
    [['create', 'more'], /^usage: /],
    [['revoke', 'key_1', 'more'], /^usage: /],
    [['list', '--colour'], /Unknown option '--colour'/],
    [['revoke', 'ums_a_not_an_id'], /^the key must be given by its ID \(key_…\), which ls shows, not as ums_a_no…$/],
  ])('%j exits with code 2 and explains why, before the settings are read', async (words, text) => {
    expect(await runKeys(words, unread)).toEqual({ exitCode: 2, remark: expect.stringMatching(text) });
  });

  it.each([
    [['create', '--role', 'boss'], /^--role must be one of/],
    [['create', '--name', ''], /^--name must/],
    [['create', '--expires', 'tomorrow'], /^--expires must be/],
  ])('%j is refused by the API rules before the database is opened', async (words, text) => {
    expect(await runKeys(words, unreachable)).toEqual({ exitCode: 2, remark: expect.stringMatching(text) });
  });

  it.each([
    ['a wrong setting', { PORT: 'x' }, /^PORT must be a whole number/],
    [
      'a database in memory',
      { DATABASE_URL: 'embedded:memory' },
      /^DATABASE_URL: only the running service can use a database in memory/,
    ],
  ])('%s exits with code 1', async (_what, environment, text) => {
    expect(await runKeys(['list'], () => environment)).toEqual({ exitCode: 1, remark: expect.stringMatching(text) });
  });

  it('does not create a database if none exists', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'uptime-keys-'));
    expect(await runKeys(['create'], () => ({ DATA_DIR: folder }))).toEqual({
      exitCode: 1,
      remark: expect.stringMatching(/^DATA_DIR: .* contains no database\. Set DATA_DIR/),
    });
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});
