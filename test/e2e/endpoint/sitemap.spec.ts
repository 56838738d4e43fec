import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { startApp, type TestApp } from '../../harness/app/app';

interface Scripted {
  status?: number;
  location?: string;
  body?: string | Buffer;
}

const urlset = (...urls: string[]) => `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;
const index = (...urls: string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;

describe('POST /api/v1/endpoints/sitemap', () => {
  let app: TestApp;
  let server: Server;
  let site: string;
  let responses: Record<string, Scripted>;

  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      const { status = 200, location, body = '' } = responses[url] ?? { status: 404 };
      response.writeHead(status, location === undefined ? {} : { location }).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    app = await startApp({ role: 'api', egressPrivate: 'allow', rateLimitPerSecond: 0 });
  });
  afterAll(async () => {
    await app.close();
    server.close();
  });
  beforeEach(() => {
    responses = {};
  });

  const ask = async (url: string) => {
    const { status, body } = await app.write.post<{
      urls: string[];
      truncated: boolean;
      skipped: number;
      errors?: { pointer: string; code: string; message: string }[];
    }>('/endpoints/sitemap', { url });
    return { status, body, refusal: body.errors?.map(({ pointer, code, message }) => `${pointer} ${code} ${message}`) };
  };

  it('lists the URLs of the host, each once, and counts those that it omits', async () => {
    responses['/sitemap.xml'] = {
      body: urlset(
        `${site}/`,
        `${site}/a#b`,
        `${site}/a`,
        'https://other.example/',
        'file:///etc/passwd',
        'no address',
      ),
    };
    expect(await ask(site)).toMatchObject({
      status: 200,
      body: { urls: [`${site}/`, `${site}/a`], truncated: false, skipped: 3 },
    });
  });

  it('reads an index, compressed sitemaps, and the target of a redirect, up to 200 URLs', async () => {
    const pages = Array.from({ length: 150 }, (_, i) => `${site}/${i}`);
    responses = {
      '/index.xml': { body: index(`${site}/1.xml.gz`, `${site}/2.xml`, 'https://other.example/3.xml') },
      '/1.xml.gz': { body: gzipSync(urlset(...pages)) },
      '/2.xml': { status: 302, location: '/moved.xml' },
      '/moved.xml': { body: urlset(...pages.map((page) => `${page}?second`)) },
    };
    const { body } = await ask(`${site}/index.xml`);
    expect([body.urls.length, body.urls.at(-1), body.truncated, body.skipped]).toEqual([
      200,
      `${site}/49?second`,
      true,
      1,
    ]);
  });

  it.each<[string, () => Record<string, Scripted>, string]>([
    [
      'a file that is not found',
      () => ({}),
      'unreachable The sitemap cannot be read: the server responds with status 404.',
    ],
    [
      'an HTML page',
      () => ({ '/s.xml': { body: '<!doctype html>' } }),
      'invalid_syntax The sitemap cannot be read: it has a DTD',
    ],
    [
      'a file that exceeds 5 MiB when it is decompressed',
      () => ({ '/s.xml': { body: gzipSync(Buffer.alloc(60 * 1024 * 1024, ' ')) } }),
      'too_large',
    ],
    ['a file of more than 5 MiB', () => ({ '/s.xml': { body: Buffer.alloc(5 * 1024 * 1024 + 1, ' ') } }), 'too_large'],
    [
      'sitemaps that have more than 5 MiB together',
      () => ({
        '/s.xml': { body: index(`${site}/a`, `${site}/b`) },
        '/a': { body: gzipSync(`<urlset>${' '.repeat(3 * 1024 * 1024)}</urlset>`) },
        '/b': { body: gzipSync(`<urlset>${' '.repeat(3 * 1024 * 1024)}</urlset>`) },
      }),
      'too_large',
    ],
    [
      'a file that starts like gzip',
      () => ({ '/s.xml': { body: Buffer.from([0x1f, 0x8b, 1, 2, 3]) } }),
      'invalid_syntax',
    ],
    ['a file that is not UTF-8', () => ({ '/s.xml': { body: Buffer.from([0xff, 0xfe, 0x3c, 0]) } }), 'it is not UTF-8'],
    [
      'an index in an index',
      () => ({ '/s.xml': { body: index(`${site}/a`) }, '/a': { body: index(`${site}/s.xml`) } }),
      'too_deep',
    ],
    ['a redirect loop', () => ({ '/s.xml': { status: 301, location: '/s.xml' } }), 'redirects more than 3 times'],
    [
      'a redirect to a file',
      () => ({ '/s.xml': { status: 301, location: 'file:///etc/passwd' } }),
      'a URL that is not http(s)',
    ],
  ])('refuses %s with an explanation and the URL', async (_, given, expected) => {
    responses = given();
    const { status, refusal } = await ask(`${site}/s.xml`);
    expect([status, refusal]).toEqual([400, [expect.stringMatching(/^\/url /)]]);
    expect(refusal?.[0]).toContain(expected);
  });

  it('connects to no address that the egress policy refuses, also not after a redirect', async () => {
    responses['/s.xml'] = { status: 302, location: 'http://169.254.169.254/latest/meta-data/' };
    for (const url of ['http://169.254.169.254/', `${site}/s.xml`]) {
      const { status, refusal } = await ask(url);
      expect([status, refusal]).toEqual([422, [expect.stringContaining('link-local')]]);
    }
  });
});
