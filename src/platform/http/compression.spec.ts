import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import express, { type Request, type Response } from 'express';
import { Config } from '../config/config';
import { Compression } from './compression';

const LONG = 'a line of text that is long enough\n'.repeat(40);

describe('Compression', () => {
  let server: Server;
  let compression: Compression;
  let handle: (request: Request<{ bytes: string }>, response: Response) => Promise<void>;

  beforeEach(async () => {
    compression = new Compression(new Config());
    handle = async (request, response) => {
      const body = LONG.slice(0, Number(request.params['bytes']));
      const applies = compression.applies(request, response, body.length);
      response.send(applies ? await compression.encode(response, body) : body);
    };
    const app = express().disable('etag');
    app.get('/:bytes', (request, response, next) => {
      handle(request, response).then(undefined, next);
    });
    server = createServer(app).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const ask = (headers: Record<string, string>, bytes = 1024): Promise<{ response: IncomingMessage; body: Buffer }> =>
    new Promise((resolve, reject) => {
      get({ port: (server.address() as AddressInfo).port, path: `/${bytes}`, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => resolve({ response, body: Buffer.concat(parts) }));
      }).once('error', reject);
    });

  it.each([
    ['gzip', 'gzip'],
    ['br;q=1.0, gzip;q=0.5', 'gzip'],
    ['*', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.1, identity;q=0.9', undefined],
    ['br', undefined],
    ['', undefined],
  ])('reads the weights of Accept-Encoding: %s', async (accepted, expected) => {
    const { response, body } = await ask({ 'accept-encoding': accepted });
    expect(response.headers['content-encoding']).toBe(expected);
    expect(response.headers.vary).toBe('Accept-Encoding');
    expect((expected ? gunzipSync(body) : body).toString()).toBe(LONG.slice(0, 1024));
  });

  it('leaves a body of less than 1 KiB as it is', async () => {
    const { response } = await ask({ 'accept-encoding': 'gzip' }, 1023);
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(response.headers.vary).toBeUndefined();
  });

  it('sends an uncompressed body if another site requests it', async () => {
    const { response } = await ask({ 'accept-encoding': 'gzip', 'sec-fetch-site': 'cross-site' });
    expect(response.headers['content-encoding']).toBeUndefined();
  });

  it('compresses two bodies at once, and sends others uncompressed without delay', async () => {
    let meanwhile: boolean[] = [];
    handle = async (request, response) => {
      const applies = (): boolean => compression.applies(request, response, LONG.length);
      const before = applies();
      const two = [compression.encode(response, LONG), compression.encode(response, LONG)];
      meanwhile = [before, applies()];
      await Promise.all(two);
      response.removeHeader('Content-Encoding');
      meanwhile.push(applies());
      response.end();
    };
    await ask({ 'accept-encoding': 'gzip' });
    expect(meanwhile).toEqual([true, false, true]);
  });

  it('does nothing with COMPRESSION=off', async () => {
    compression = new Compression(Object.assign(new Config(), { compression: false }));
    const { response } = await ask({ 'accept-encoding': 'gzip' });
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(response.headers.vary).toBeUndefined();
  });
});
