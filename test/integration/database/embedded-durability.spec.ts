/**
 * @lane slow @alone
 * @databases embedded
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { DirectoryInUseError } from '../../../src/platform/database/embedded/directory-lock';
import { EmbeddedPostgres } from '../../../src/platform/database/embedded/embedded-postgres';

// Every start of the writer also starts an engine.
jest.setTimeout(360_000);

const TYPESCRIPT = join(__dirname, '../../../scripts/typescript.cjs');

const ROUNDS = 5;
const ROWS_PER_ROUND = 150;

/** Runs in a separate process, so that it can be killed like the service. */
class Writer {
  private output = '';
  private readonly child: ChildProcess;

  constructor(directory: string) {
    const program = join(__dirname, '../../harness/processes/row-writer.ts');
    this.child = spawn(process.execPath, ['-r', TYPESCRIPT, program, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get isOpen(): boolean {
    return this.output.startsWith('open\n');
  }

  /** The numbers of the rows whose commit was acknowledged. Only complete lines count. */
  get acknowledged(): number[] {
    return this.output.split('\n').slice(1, -1).map(Number);
  }

  async until(holds: () => boolean): Promise<void> {
    for (const deadline = Date.now() + 60_000; !holds(); await delay(2)) {
      if (this.child.exitCode !== null) throw new Error(`the writer ended with ${this.child.exitCode}`);
      if (Date.now() > deadline) throw new Error(`the writer is stuck after ${this.output.slice(-100)}`);
    }
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const closed = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await closed;
  }
}

async function inDatabase<T>(directory: string, work: (client: Client) => Promise<T>): Promise<T> {
  const embedded = await EmbeddedPostgres.start({ directory });
  const client = new Client({ user: 'postgres', stream: () => embedded.connect() });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
    await embedded.close();
  }
}

describe('the embedded database in a directory', () => {
  let directory: string;
  let writer: Writer | null = null;

  const start = (): Writer => {
    writer = new Writer(directory);
    return writer;
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'uptime-embedded-'));
  });
  afterEach(async () => {
    await writer?.kill();
    rmSync(directory, { recursive: true, force: true });
  });

  it(`keeps every acknowledged row when its process is killed, ${ROUNDS} times`, async () => {
    const acknowledged = new Set<number>();
    for (let round = 1; round <= ROUNDS; round++) {
      const current = start();
      await current.until(() => current.acknowledged.length >= ROWS_PER_ROUND + 7 * round);
      await current.kill();
      for (const id of current.acknowledged) acknowledged.add(id);
      await inDatabase(directory, async (client) => {
        const { rows } = await client.query<{ id: number }>('SELECT id FROM written');
        const stored = new Set(rows.map(({ id }) => id));
        expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
        const half = await client.query(`SELECT id FROM written WHERE text = 'new'`);
        expect(half.rows).toEqual([]);
      });
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS * ROWS_PER_ROUND);
  });

  it('starts after its very first start was killed halfway', async () => {
    const first = start();
    const cluster = join(directory, 'pgdata');
    await first.until(() => existsSync(join(cluster, 'base')) || first.isOpen);
    await first.kill();
    const result = await inDatabase(directory, (client) => client.query('SELECT 1 AS one'));
    expect(result.rows).toEqual([{ one: 1 }]);
  });

  it('refuses a second process, and continues serving the first one', async () => {
    const first = start();
    await first.until(() => first.isOpen);
    const second = EmbeddedPostgres.start({ directory });
    await expect(second).rejects.toThrow(DirectoryInUseError);
    await expect(second).rejects.toThrow(`${directory} is in use by process ${first.pid} `);
    const before = first.acknowledged.length;
    await first.until(() => first.acknowledged.length > before + 20);
  });
});
