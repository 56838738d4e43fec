import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../../harness/app/app';
import { newWebsite } from '../../harness/app/resources';
import { parseId } from '../../../src/platform/ids/id';

const ENDPOINTS = 150;
const BODY_BYTES = 30_000;
const MAX_PAGE_BYTES = 1024 * 1024;

interface Item {
  id: string;
}

describe('lists of large items', () => {
  let app: TestApp;
  let website: string;
  let ids: string[];

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    website = await newWebsite(app.write);
    ids = await insert(website, ENDPOINTS, BODY_BYTES);
  });
  afterAll(() => app.close());

  /** Inserts endpoints with a body of this many characters, as an older version may have stored them. */
  async function insert(websiteId: string, count: number, bytes: number): Promise<string[]> {
    const database = app.app.get(DataSource);
    await database.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type, body)
       SELECT gen_random_uuid(), org_id, id, 'n' || n, 'http://large.example/' || n, 'HTTP', repeat('x', $2)
         FROM website, generate_series(1, $3) AS n WHERE id = $1`,
      [parseId('website', websiteId), bytes, count],
    );
    await database.query(
      `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id)
       SELECT id, key, org_id FROM endpoint ON CONFLICT DO NOTHING`,
    );
    const { body } = await app.write.get<Item[]>(`/websites/${websiteId}/endpoints?limit=1`);
    return [body[0]?.id ?? ''];
  }
  async function walk(path: string): Promise<{ sizes: number[]; bytes: number[]; ids: string[] }> {
    const walked = { sizes: [] as number[], bytes: [] as number[], ids: [] as string[] };
    let next: string | undefined = path;
    while (next !== undefined) {
      const page: { status: number; text: string; body: Item[]; headers: Record<string, string> } =
        await app.write.get<Item[]>(next);
      expect(page.status).toBe(200);
      walked.sizes.push(page.body.length);
      walked.bytes.push(page.text.length);
      walked.ids.push(...page.body.map(({ id }) => id));
      next = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(page.headers['link'] ?? '')?.[1];
    }
    return walked;
  }

  it('end a page before a megabyte, and continue on the next page without loss', async () => {
    const { sizes, bytes, ids: found } = await walk(`/websites/${website}/endpoints?limit=1000`);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
    expect(sizes.length).toBeGreaterThan(3);
    expect(new Set(found).size).toBe(ENDPOINTS);
    expect(found).toHaveLength(ENDPOINTS);
    expect(found).toContain(ids[0]);
  });

  it('put an item that is larger than a page on a separate page', async () => {
    const huge = await newWebsite(app.write);
    await insert(huge, 3, MAX_PAGE_BYTES + 1);
    expect((await walk(`/websites/${huge}/endpoints`)).sizes).toEqual([1, 1, 1]);
  });

  it('leave a page of small items whole', async () => {
    const small = await newWebsite(app.write);
    await insert(small, 250, 10);
    expect((await walk(`/websites/${small}/endpoints`)).sizes).toEqual([250]);
  });
});
