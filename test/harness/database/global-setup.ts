import { Client } from 'pg';

/** Prints the database that the e2e suites use, and fails immediately if it can't be reached. */
export default async function globalSetup(): Promise<void> {
  const url = process.env['TEST_DATABASE_URL'];
  if (url === undefined || url === '') return;
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>('SELECT version()');
    process.stderr.write(`e2e on ${rows[0]?.version ?? url}\n`);
  } catch (error) {
    throw new Error(`TEST_DATABASE_URL cannot be reached: ${String(error)}`, { cause: error });
  } finally {
    await client.end().catch(() => {});
  }
}
