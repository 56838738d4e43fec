/**
 * @lane slow @alone
 * @databases embedded
 */
import type { Worker } from 'node:worker_threads';
import { Pool, type PoolClient } from 'pg';
import { EmbeddedPostgres } from '../../../src/platform/database/embedded/embedded-postgres';

/** Leaves room for the pauses of a busy machine between two statements of a transaction. */
const PATIENCE_MS = 2000;

describe('many connections over the one session of the embedded database', () => {
  let embedded: EmbeddedPostgres;
  let pool: Pool;

  beforeAll(async () => {
    embedded = await EmbeddedPostgres.start({ directory: null, patienceMs: PATIENCE_MS });
    pool = new Pool({ user: 'postgres', max: 5, stream: () => embedded.connect() });
    pool.on('error', () => {});
    await pool.query('CREATE TABLE note (text text NOT NULL)');
  });
  afterAll(async () => {
    await pool.end();
    await embedded.close();
  });
  beforeEach(async () => {
    await pool.query('TRUNCATE note');
  });

  const notes = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ text: string }>('SELECT text FROM note ORDER BY text');
    return rows.map(({ text }) => text);
  };
  const inTransaction = async (work: (client: PoolClient) => Promise<void>): Promise<void> => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await work(client);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  };

  it('gives every connection its own results', async () => {
    const numbers = Array.from({ length: 500 }, (_, i) => i);
    const results = await Promise.all(
      numbers.map((n) =>
        pool.query<{ n: number; text: string }>('SELECT $1::int AS n, $2::text AS text', [n, `#${n}`]),
      ),
    );
    expect(results.map(({ rows }) => rows)).toEqual(numbers.map((n) => [{ n, text: `#${n}` }]));
  });

  it('transfers large parameters and large results completely', async () => {
    const text = 'ä€𝄞'.repeat(300_000);
    const { rows } = await pool.query<{ text: string }>('SELECT $1::text AS text', [text]);
    expect(rows[0]?.text === text).toBe(true);
    const many = await pool.query('SELECT g FROM generate_series(1, 100000) g');
    expect(many.rowCount).toBe(100_000);
  });

  it('continues after an error on the same connection', async () => {
    const client = await pool.connect();
    await expect(client.query('SELECT nonsense')).rejects.toMatchObject({ code: '42703' });
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    client.release();
  });

  it('keeps statements of other connections out of an open transaction', async () => {
    let outside: Promise<unknown> = Promise.resolve();
    await inTransaction(async (client) => {
      outside = pool.query(`INSERT INTO note VALUES ('outside')`);
      await client.query(`INSERT INTO note VALUES ('inside')`);
    });
    await outside;
    expect(await notes()).toEqual(['outside']);
  });

  it('keeps statements of other connections out of a failed transaction', async () => {
    let outside: Promise<unknown> = Promise.resolve();
    await inTransaction(async (client) => {
      await client.query(`INSERT INTO note VALUES ('inside')`);
      await expect(client.query('SELECT nonsense')).rejects.toThrow();
      outside = pool.query(`INSERT INTO note VALUES ('outside')`);
      await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
    });
    await outside;
    expect(await notes()).toEqual(['outside']);
  });

  it('rolls back the open transaction of a dropped connection', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query(`INSERT INTO note VALUES ('dropped')`);
    client.release(true);
    expect(await notes()).toEqual([]);
  });

  it('rolls back the open transaction of a connection that was cut', async () => {
    const client = await pool.connect();
    client.on('error', () => {});
    await client.query('BEGIN');
    await client.query(`INSERT INTO note VALUES ('cut')`);
    const pending = client.query('SELECT pg_sleep(0.05)');
    await Promise.all([client.end(), expect(pending).rejects.toThrow('Connection terminated')]);
    client.release(true);
    expect(await notes()).toEqual([]);
  });

  it('fails a statement with 55P03 when it waits for a transaction that waits for it', async () => {
    await inTransaction(async (client) => {
      await client.query(`INSERT INTO note VALUES ('inside')`);
      await expect(pool.query('SELECT text FROM note')).rejects.toMatchObject({
        code: '55P03',
        message: expect.stringContaining('inside a transaction, use its own manager'),
      });
      await client.query(`INSERT INTO note VALUES ('still open')`);
    });
    expect(await notes()).toEqual([]);
  });

  it('lets a statement wait as long as the transaction before it is active', async () => {
    let outside: Promise<unknown> = Promise.resolve();
    await inTransaction(async (client) => {
      outside = pool.query(`INSERT INTO note VALUES ('waited')`);
      for (let sleptMs = 0; sleptMs < 1.5 * PATIENCE_MS; sleptMs += 250) await client.query('SELECT pg_sleep(0.25)');
    });
    await outside;
    expect(await notes()).toEqual(['waited']);
  });
});

describe('EmbeddedPostgres', () => {
  it('reports its crash once, and fails pending statements', async () => {
    const reasons: string[] = [];
    const embedded = await EmbeddedPostgres.start({ directory: null, onCrash: (reason) => reasons.push(reason) });
    const pool = new Pool({ user: 'postgres', stream: () => embedded.connect() });
    pool.on('error', () => {});
    await pool.query('SELECT 1');
    const waiting = expect(pool.query('SELECT pg_sleep(1)')).rejects.toThrow('Connection terminated');
    await (Reflect.get(embedded, 'worker') as Worker).terminate();
    await waiting;
    expect(reasons).toEqual(['its thread exited with code 1']);
    await pool.end();
  });
});
