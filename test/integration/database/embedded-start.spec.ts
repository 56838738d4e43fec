/**
 * @lane slow @alone
 * @databases embedded
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Runs the built service: a second one on a directory in use, started like the first. */
describe('a service on a data directory that is in use', () => {
  const root = join(__dirname, '../../..');
  const started: ChildProcess[] = [];
  let directory: string;
  const output = new Map<ChildProcess, string>();

  const start = (): ChildProcess => {
    const child = spawn(process.execPath, ['dist/main.js'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], DATA_DIR: directory, PORT: '0', LOG_LEVEL: 'silent' },
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => output.set(child, `${output.get(child) ?? ''}${chunk.toString()}`));
    started.push(child);
    return child;
  };
  const until = async (child: ChildProcess, text: RegExp): Promise<void> => {
    for (const deadline = Date.now() + 120_000; !text.test(output.get(child) ?? ''); await delay(20))
      if (Date.now() > deadline || child.exitCode !== null) throw new Error(`no ${text} in: ${output.get(child)}`);
  };

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'uptime-start-'));
  });
  afterAll(async () => {
    for (const child of started) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(directory, { recursive: true, force: true });
  });

  it('a second service on a data directory exits with code 1 and one line that names the process and the directory', async () => {
    const first = start();
    await until(first, /running at /);
    const second = start();
    const [code] = (await once(second, 'close')) as [number | null];
    expect(code).toBe(1);
    expect(output.get(second)).toMatch(
      new RegExp(
        `^The data directory ${directory} is in use by process ${first.pid} \\(since \\S+\\)\\. ` +
          `Stop that process first, or set DATA_DIR to another directory\\.\n$`,
      ),
    );
  }, 300_000);
});
