/**
 * @lane slow
 * @databases embedded
 */
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildService } from '../../harness/processes/service-process';
import { StartFolder, type StartOptions } from '../../harness/processes/start-process';
import { readJson, ROOT } from '../../repository/project-files';

// Services and commands start one after the other.
jest.setTimeout(600_000);

const run = promisify(execFile);
const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
const canChangeUser =
  process.getuid?.() === 0 &&
  spawnSync('setpriv', [...AS_NOBODY.slice(1), 'test', '-r', join(ROOT, 'package.json')]).status === 0;

const { scripts } = readJson('package.json') as { scripts: Record<string, string> };
/** A command that uses the database directly: a file of the command line, or one with the settings of TypeORM. */
const WORKS_IN_DATABASE = /dist\/cli\/|ormconfig/;
/** The arguments with which each command opens the embedded database, or `null` with the reason why it does not. */
const WORDS: Readonly<Record<string, string[] | null>> = {
  keys: ['create', '--role', 'admin'],
  people: ['list'],
  'secrets:rotate': [],
  // Tested below.
  backup: null,
  downgrade: ['0.1.0'],
  'migration:run': [],
  'migration:revert': [],
  // It writes a file of the project.
  'migration:generate': null,
  // They use only the API, or nothing.
  uptime: null,
  'check-url': null,
};

(canChangeUser ? describe : describe.skip)(
  'commands that root runs in the data directory of another user (needs root)',
  () => {
    const folder = new StartFolder();
    const directory = join(folder.path, 'data');
    const env = {
      DATA_DIR: directory,
      SECRETS_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    };

    beforeAll(async () => {
      buildService();
      chmodSync(folder.path, 0o755);
      mkdirSync(directory, { mode: 0o700 });
      chownSync(directory, NOBODY, NOBODY);
      await startAndStop({ entry: AS_NOBODY });
    });
    afterAll(() => folder.remove());

    const startAndStop = async (options: StartOptions = {}): Promise<void> => {
      const started = folder.launch({ ...options, env });
      await started.url();
      await started.stop();
    };
    const filesOfOthers = (): string[] =>
      readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
        (name) => lstatSync(join(directory, name)).uid !== NOBODY,
      );
    const runAsRoot = async (script: string, words: string[]): Promise<void> => {
      const [program = '', ...rest] = (scripts[script] ?? '').split(' ');
      await run(program, [...rest, ...words], { cwd: ROOT, env: { PATH: process.env['PATH'], ...env } });
    };

    it('the table below has every command of package.json that may open the database', () => {
      const names = Object.keys(scripts).filter((name) => WORKS_IN_DATABASE.test(scripts[name] ?? ''));
      expect(names.sort()).toEqual(Object.keys(WORDS).sort());
    });

    it.each(Object.entries(WORDS).flatMap(([script, words]) => (words === null ? [] : [{ script, words }])))(
      '`npm run $script` leaves no file that the user of the service cannot open',
      async ({ script, words }) => {
        await runAsRoot(script, words);
        expect(filesOfOthers()).toEqual([]);
      },
    );

    it('the service itself leaves no such file either, also when it is killed', async () => {
      const started = folder.launch({ env });
      await started.url();
      started.signal('SIGKILL');
      await started.ended();
      expect(filesOfOthers()).toEqual([]);
    });

    it('the service starts as its own user afterwards', async () => {
      await startAndStop({ entry: AS_NOBODY });
    });

    it('a backup that root restores belongs to the user who has the new directory', async () => {
      const file = join(folder.path, 'restored.backup');
      await runAsRoot('backup', ['save', file]);
      expect(filesOfOthers()).toEqual([]);
      rmSync(directory, { recursive: true });
      mkdirSync(directory, { mode: 0o700 });
      chownSync(directory, NOBODY - 1, NOBODY - 1);
      await runAsRoot('backup', ['restore', file]);
      const owners = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map(
        (name) => lstatSync(join(directory, name)).uid,
      );
      expect(new Set(owners)).toEqual(new Set([NOBODY - 1]));
    });
  },
);
