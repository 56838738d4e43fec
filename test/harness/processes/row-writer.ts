import { DataSource } from 'typeorm';
import { Database } from '../../../src/platform/database/database';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { EmbeddedPostgres } from '../../../src/platform/database/embedded/embedded-postgres';

/**
 * A program for tests that kill it. Opens the embedded database in the directory given as its argument, and writes rows
 * over several connections until it is killed. Prints each row's number after it is committed. In between, it
 * checkpoints, vacuums, and changes the schema, like the service does.
 */
async function main(): Promise<void> {
  const directory = process.argv[2];
  if (directory === undefined) throw new Error('usage: row-writer <directory>');
  const embedded = await EmbeddedPostgres.start({ directory });
  const target = { connect: () => embedded.connect() };
  const options = dataSourceOptions(target, { size: 5, name: 'row writer', queryTimeoutMs: 30_000 });
  const database = new Database(await new DataSource(options).initialize());
  await database.query(`CREATE TABLE IF NOT EXISTS written (id integer PRIMARY KEY, text text NOT NULL)`);
  const [row] = await database.query<{ next: number }>(`SELECT coalesce(max(id), 0) + 1 AS next FROM written`);
  let next = row?.next ?? 1;
  process.stdout.write('open\n');

  const write = async (): Promise<never> => {
    for (;;) {
      const id = next++;
      await database.transaction(async (tx) => {
        await tx.query(`INSERT INTO written (id, text) VALUES ($1, 'new')`, [id]);
        await tx.query(`UPDATE written SET text = repeat('x', 200) WHERE id = $1`, [id]);
      });
      process.stdout.write(`${id}\n`);
    }
  };
  const disturb = async (): Promise<never> => {
    for (;;) {
      await database.query('CHECKPOINT');
      await database.query('VACUUM (ANALYZE) written');
      await database.query('CREATE INDEX IF NOT EXISTS written_text ON written (text)');
      await database.query('DROP INDEX written_text');
    }
  };
  await Promise.all([write(), write(), write(), write(), disturb()]);
}

void main();
