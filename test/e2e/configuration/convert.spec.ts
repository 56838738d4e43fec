/** @lane slow */
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { startApp, type TestApp } from '../../harness/app/app';

interface Converted {
  status: number;
  code?: string;
  errors: string[];
  body: { document?: object; report?: object[]; detail?: string };
}

interface Sending {
  from?: string;
  type?: string;
  headers?: Record<string, string>;
}

const MAX_BYTES = 8 * 1024 * 1024;

describe('POST /api/v1/configuration/convert', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());

  const send = async (
    body: string | Uint8Array | undefined,
    { from = 'gatus', type = 'application/yaml', headers = {} }: Sending = {},
  ): Promise<Converted> => {
    const response = await fetch(`${app.url}/api/v1/configuration/convert?from=${from}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.read.key}`, 'content-type': type, ...headers },
      ...(body !== undefined && { body: body as string }),
    });
    const said = (await response.json()) as Converted['body'] & {
      code?: string;
      errors?: { line: number; pointer: string; code: string }[];
    };
    const errors = (said.errors ?? []).map(({ line, pointer, code }) => `${line} ${pointer} ${code}`);
    return { status: response.status, ...(said.code && { code: said.code }), errors, body: said };
  };
  const FRONT = 'endpoints:\n  - name: front\n    url: https://shop.example.com\n    conditions: ["[STATUS] == 200"]\n';

  it("creates a document from another tool's file, and reports the result for each item in it", async () => {
    const { status, body } = await send(FRONT);
    expect(status).toBe(200);
    expect(body.document).toMatchObject({ version: 1, websites: [{ endpoints: [{ name: 'front', type: 'HTTPS' }] }] });
    expect(body.report).toEqual([expect.objectContaining({ name: 'front', at: 'line 2' })]);
  });

  it('reads variables of Gatus in places that YAML does not allow', async () => {
    const endpoint = '{name: a, url: https://a.example, headers: {X-Key: ${KEY}}, conditions: []}';
    const { status, body } = await send(`endpoints: [${endpoint}]`);
    expect(status).toBe(200);
    expect(JSON.stringify(body.document)).toContain('{"key":"X-Key","value":{"$secret":"KEY"}}');
  });

  it.each(['application/json', 'application/x-yaml', 'text/yaml', 'text/plain; charset=utf-8', 'application/x-ndjson'])(
    'accepts %s',
    async (type) => {
      expect(await send('{"checks": []}', { from: 'healthchecks', type })).toMatchObject({ status: 200 });
    },
  );

  it('refuses other types, other encodings, and text that is not UTF-8', async () => {
    expect(await send(FRONT, { type: 'text/html' })).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    expect(await send(FRONT, { type: 'application/yaml; charset=utf-16' })).toMatchObject({ status: 415 });
    expect(await send(FRONT, { headers: { 'content-encoding': 'gzip' } })).toMatchObject({ status: 415 });
    expect(await send(Buffer.from([0x61, 0x3a, 0x20, 0xff]))).toMatchObject({ status: 400, code: 'invalid_encoding' });
  });

  it("checks the key before it accepts the body, and requires the tool's name", async () => {
    expect(await send(FRONT, { headers: { authorization: 'Bearer no' } })).toMatchObject({ status: 401 });
    expect(await send(FRONT, { from: 'nagios' })).toMatchObject({ status: 400, code: 'invalid_query' });
    expect(await send(undefined)).toMatchObject({ status: 400, code: 'validation_failed' });
  });

  it.each([
    ['tabs as indentation', 'endpoints:\n\t- name: front\n', ['2  invalid_syntax']],
    ['duplicate keys', `${FRONT}ui: {}\nui: {}\n`, ['6 /ui duplicate_key']],
    ['custom tags', 'endpoints: !run x\n', ['1  invalid_syntax']],
  ])('refuses %s with the line', async (_, text, errors) => {
    expect(await send(text)).toMatchObject({ status: 400, code: 'malformed_document', errors });
  });

  it('refuses an alias bomb', async () => {
    const levels = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 12; i++)
      levels.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    const { status, code, errors } = await send(levels.join('\n'));
    expect([status, code]).toEqual([400, 'malformed_document']);
    expect(errors).toEqual([expect.stringMatching(/^\d+ \/a\d+\S* too_large$/)]);
  });

  it('accepts a document of 8 MiB and refuses one of 9 MiB', async () => {
    const line = `# ${'x'.repeat(1021)}\n`;
    const largest = FRONT + line.repeat((MAX_BYTES - FRONT.length) / line.length);
    expect(await send(largest)).toMatchObject({ status: 200 });
    expect(await send(line.repeat(9 * 1024))).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  it('refuses 9 MiB also when their length was not announced', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const url = `${app.url}/api/v1/configuration/convert?from=gatus`;
      const headers = { authorization: `Bearer ${app.read.key}`, 'content-type': 'application/yaml' };
      const sending = request(url, { method: 'POST', headers }, (response) => resolve(response.resume().statusCode));
      sending.on('error', reject);
      Readable.from(Array.from({ length: 9 * 16 }, () => Buffer.alloc(64 * 1024, '#'))).pipe(sending);
    });
    expect(status).toBe(413);
  });

  it('leaves the limit of all other routes as it is', async () => {
    const response = await fetch(`${app.url}/api/v1/websites`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.write.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x'.repeat(200 * 1024) }),
    });
    expect(response.status).toBe(413);
  });

  it('refuses an Idempotency-Key, because nothing is stored', async () => {
    expect(await send(FRONT, { headers: { 'idempotency-key': 'a' } })).toMatchObject({
      status: 400,
      code: 'idempotency_key_not_supported',
    });
  });
});
