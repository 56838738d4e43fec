import { Client } from 'pg';

/** Runs statements one at a time as a cluster's superuser. Returns the rows from the last one. */
export async function asSuperuser<Row extends object = Record<string, unknown>>(
  cluster: { readonly port: number },
  database: string,
  ...statements: readonly string[]
): Promise<Row[]> {
  const client = new Client({ host: '127.0.0.1', port: cluster.port, user: 'postgres', database, ssl: false });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const sql of statements) ({ rows } = await client.query<Row>(sql));
    return rows;
  } finally {
    await client.end();
  }
}
