import { get, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { startApp, type TestApp } from '../../harness/app/app';

interface Received {
  response: IncomingMessage;
  text: string;
  bytes: number;
}

/** Node's own client does not decompress, so it shows the bytes that were sent. */
describe('compressed responses', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());

  const ask = (path: string, headers: Record<string, string>): Promise<Received> =>
    new Promise((resolve, reject) => {
      get(app.url + path, { headers: { authorization: `Bearer ${app.write.key}`, ...headers } }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const body = Buffer.concat(parts);
          const isEncoded = response.headers['content-encoding'] === 'gzip';
          resolve({ response, text: (isEncoded ? gunzipSync(body) : body).toString(), bytes: body.length });
        });
      }).once('error', reject);
    });

  it('equal plain ones: body, tag, headers of a page', async () => {
    const website = await newWebsite(app.write);
    const id = await newEndpoint(app.write, website, { method: 'POST', body: 'order=1&'.repeat(200) });
    for (let n = 0; n < 3; n++) await newEndpoint(app.write, website, { method: 'POST', body: 'order=1&'.repeat(200) });
    for (const path of [`/api/v1/endpoints/${id}`, `/api/v1/websites/${website}/endpoints?limit=3`]) {
      const plain = await ask(path, {});
      const small = await ask(path, { 'accept-encoding': 'gzip, br' });
      expect(plain.response.headers['content-encoding']).toBeUndefined();
      expect(small.response.headers['content-encoding']).toBe('gzip');
      expect(small.text).toBe(plain.text);
      expect(small.bytes).toBeLessThan(plain.bytes / 2);
      expect(Number(small.response.headers['content-length'])).toBe(small.bytes);
      for (const name of ['etag', 'link', 'x-next-cursor', 'x-total-count', 'content-type', 'vary'])
        expect({ [name]: small.response.headers[name] }).toEqual({ [name]: plain.response.headers[name] });
    }
  });
});
