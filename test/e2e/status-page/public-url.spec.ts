/** @lane slow */
import { request as httpRequest } from 'node:http';
import { startOwnApp, type TestApp } from '../../harness/app/app';

interface PublicPage {
  slug: string;
  errors: { pointer: string; message: string }[];
}

const PUBLIC_URL = 'https://uptime.example.com/monitor';

describe('status pages of an installation with a PUBLIC_URL', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' }, { durable: true });
  });
  afterAll(() => app.close());

  const make = (fields: object) =>
    app.admin.post<PublicPage>('/status-pages', { title: 'Status', groups: [], enabled: true, ...fields });
  const get = (path: string, host?: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest(`${app.url}${path}`, { headers: host === undefined ? {} : { host } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject).end();
    });

  it('never take its host, not even one that had it before', async () => {
    const { body } = await make({ slug: 'early', domain: 'uptime.example.com' });
    expect(body.slug).toBe('early');
    expect(await get('/status.json', 'uptime.example.com')).toContain('"name":"Status"');
    await app.stop();
    await app.restart({ publicUrl: PUBLIC_URL });
    expect(await get('/status.json', 'uptime.example.com')).not.toContain('"name":"Status"');
    expect(await get('/api/v1/openapi.json', 'uptime.example.com')).toContain('"openapi"');
    const refused = await make({ slug: 'late', domain: 'uptime.example.com' });
    expect([refused.status, refused.body.errors[0]]).toMatchObject([
      400,
      { pointer: '/domain', message: 'domain must not be the host name of this installation itself' },
    ]);
    expect((await make({ slug: 'other', domain: 'status.example.com' })).status).toBe(201);
  });

  it('have feeds with full URLs, below it or below a separate host', async () => {
    await make({ slug: 'plain' });
    await make({ slug: 'hosted', domain: 'hosted.example.com' });
    expect(await get('/status/plain/feed.atom')).toContain(
      `<link rel="alternate" type="text/html" href="${PUBLIC_URL}/status/plain"/>`,
    );
    expect(await get('/status/plain/feed.atom')).toContain(`href="${PUBLIC_URL}/status/plain/feed.atom"`);
    expect(await get('/status/hosted/feed.atom')).toContain('href="https://hosted.example.com/"');
  });

  it('name their own URL, and link relative to where they were requested', async () => {
    await make({ slug: 'linked' });
    await make({ slug: 'apart', domain: 'apart.example.com', indexed: false });
    const [below, hosted] = await Promise.all([get('/status/linked'), get('/', 'apart.example.com')]);
    expect(below).toContain(`<link rel="canonical" href="${PUBLIC_URL}/status/linked">`);
    expect(below).toContain('<a href="../status/linked/history">');
    expect(await get('/status/linked/history')).toContain('<a href="../../status/linked">Current status</a>');
    expect(hosted).toContain('<link rel="canonical" href="https://apart.example.com/">');
    expect(hosted).toContain('<a href="./history">');
    expect(await get('/history', 'apart.example.com')).toContain('<a href="./">Current status</a>');
    expect(await get('/robots.txt', 'apart.example.com')).toBe('User-agent: *\nDisallow: /\n');
  });
});
