import { execFileSync } from 'node:child_process';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startOwnApp, type TestApp } from '../harness/app/app';

interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

describe('the files of the dashboard', () => {
  let app: TestApp;
  let script: string;

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> =>
    new Promise((resolve, reject) => {
      const request = httpRequest(`${app.url}${path}`, { method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      request.on('error', reject);
      request.end();
    });

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    script = /src="(\/assets\/[^"]+\.js)"/.exec((await get('/')).body.toString())?.[1] ?? '';
  });
  afterAll(() => app.close());

  it('serves the dashboard uncached, with a strict content security policy and nothing inline', async () => {
    const { status, headers, body } = await get('/');
    expect([status, headers['cache-control'], headers['content-type']]).toEqual([
      200,
      'no-cache',
      'text/html; charset=utf-8',
    ]);
    expect(headers['content-security-policy']).toBe(
      "default-src 'self';base-uri 'none';form-action 'self';frame-ancestors 'none';object-src 'none'",
    );
    expect(body.toString()).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|https?:\/\//);
  });

  it('serves files with a hash in their name as immutable', async () => {
    const { status, headers } = await get(script);
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
    ['identity', (body: Buffer) => body],
  ])('serves scripts with the encoding %s', async (encoding, open) => {
    const plain = await get(script, { 'Accept-Encoding': 'identity' });
    const { headers, body } = await get(script, { 'Accept-Encoding': encoding });
    expect(headers['content-encoding'] ?? 'identity').toBe(encoding);
    expect(headers.vary).toContain('Accept-Encoding');
    expect(open(body).equals(plain.body)).toBe(true);
  });

  it('serves the font as it is, because it is already compressed', async () => {
    const style = /href="(\/assets\/[^"]+\.css)"/.exec((await get('/')).body.toString())?.[1] ?? '';
    const font = /url\(([^)]+\.woff2)\)/.exec((await get(style)).body.toString())?.[1] ?? '';
    const { status, headers, body } = await get(new URL(font, `http://localhost${style}`).pathname, {
      'Accept-Encoding': 'br',
    });
    expect([status, headers['content-type'], headers['content-encoding']]).toEqual([200, 'font/woff2', undefined]);
    expect(body.length).toBeLessThan(34_000);
  });

  it.each(['/', 'script'])('answers 304 for %s to a client that has it, and HEAD without a body', async (path) => {
    const url = path === 'script' ? script : path;
    const { headers } = await get(url);
    for (const sent of [headers.etag ?? '', `"other", W/${headers.etag}`, '*'])
      expect((await get(url, { 'If-None-Match': sent })).status).toBe(304);
    expect((await get(url, { 'If-None-Match': '"other"' })).status).toBe(200);
    const head = await get(url, {}, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
  });

  it('draws the favicon with the number of endpoints that are down', async () => {
    expect((await get('/favicon.svg')).body.toString()).not.toContain('<text');
    expect((await get('/favicon.svg?down=3')).body.toString()).toContain('>3</text>');
    const colors = ['', '?state=degraded', '?down=1'].map(async (query) => {
      return /rect [^>]*fill="(#\w+)"/.exec((await get(`/favicon.svg${query}`)).body.toString())?.[1];
    });
    expect(new Set(await Promise.all(colors)).size).toBe(3);
    expect((await get('/favicon.svg?down=%3Cscript%3E')).body.toString()).not.toContain('script');
  });

  it('answers 404 as JSON for paths that are not a file of the dashboard, also for path traversal', async () => {
    for (const path of ['/assets/none.js', '/assets/..%2f..%2fpackage.json', '/index.htm', '/nothing']) {
      const { status, headers } = await get(path);
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'application/problem+json; charset=utf-8']);
    }
    expect((await get('/', {}, 'POST')).status).toBe(404);
  });

  it('keeps the built dashboard within its size budget', () => {
    const output = execFileSync(process.execPath, [join(__dirname, '../../web/check-budget.mjs')], {
      encoding: 'utf8',
    });
    expect(output).toMatch(
      /\.js that the overview of the dashboard loads, of at most 40 KiB[^]*all \.js of the API reference, of at most 16 KiB/,
    );
  });
});
