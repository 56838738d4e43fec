import { createInterface } from 'node:readline';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { EmbeddedMaintenance } from '../../src/platform/database/embedded/embedded-maintenance';
import { type Service, startExactly } from '../../packages/testing/service/start-service';

/** A migration that creates a table, fills it, and changes it, like the migrations of an upgrade. */
class Stock1800000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE stock (id integer PRIMARY KEY, text text NOT NULL)');
    await runner.query(`INSERT INTO stock SELECT g, repeat(md5(g::text), 4) FROM generate_series(1, 20000) g`);
    await runner.query('CREATE INDEX stock_text ON stock (text)');
    await runner.query('ALTER TABLE stock ADD COLUMN amount integer NOT NULL DEFAULT 0');
    await runner.query('UPDATE stock SET amount = id WHERE id % 2 = 0');
  }

  async down(): Promise<void> {
    // An extension's migration is never undone.
  }
}

const start = (dataDir: string, isUpgraded: boolean): Promise<Service> =>
  startExactly({
    config: { databaseUrl: null, dataDir, databaseSync: true, bootstrapApiKey: null, egressPrivate: 'allow' },
    extensions: isUpgraded ? [{ name: 'stock', migrations: [Stock1800000000000] }] : [],
  });

/**
 * The program that the power-cut test records: the service on the data directory in its first argument. It runs the
 * commands on its standard input, line by line. It responds to a start with its URL and an admin key, and to other
 * lines with an empty line.
 */
async function main(): Promise<void> {
  const [dataDir = ''] = process.argv.slice(2);
  let service = await start(dataDir, false);
  const answer = (text = ''): void => void process.stdout.write(`${text}\n`);
  const greet = (): void => answer(JSON.stringify({ url: service.url, key: service.admin.key }));
  const commands: Readonly<Record<string, () => Promise<void>>> = {
    checkpoint: () => maintenance().checkpoint(),
    'vacuum the hot tables': () => maintenance().vacuumHotTables(),
    'vacuum all': () => maintenance().vacuumAll(),
    stop: () => service.stop(),
    upgrade: async () => {
      await service.stop();
      service = await start(dataDir, true);
    },
  };
  const maintenance = (): EmbeddedMaintenance => service.app.get(EmbeddedMaintenance);
  greet();
  for await (const line of createInterface({ input: process.stdin })) {
    await commands[line]?.();
    if (line === 'upgrade') greet();
    else answer();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
