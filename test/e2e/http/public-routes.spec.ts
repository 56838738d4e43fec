import { request } from 'node:http';
import type { Application } from 'express';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { type Route, routesOf } from '../../harness/app/routes';
import { UNDOCUMENTED } from '../../bounds/keyless';

interface Visit {
  route: Route;
  /** Each loopback address is another client. */
  from: string;
  body?: string;
  type?: string;
}

/**
 * The functions in front of the routes, in order, by name, with a path that each responds to. `null` means that it
 * does not respond or only refuses. A function that isn't listed fails, so that the bounds tests attack everything
 * that strangers reach.
 */
const MIDDLEWARE: readonly (readonly [name: string, answers: string | null])[] = [
  // Nest's hooks of responses.
  ['<anonymous>', null],
  ['requestId', null],
  // Announces the end of the connection while the service drains, and keeps API responses out of caches.
  ['<anonymous>', null],
  ['helmetMiddleware', null],
  ['keptNowhere', null],
  ['refuseWhileOverloaded', null],
  // A status page under its own host name: the same bytes as below /status.
  ['serve', null],
  ['serve', '/ping/none'],
  ['refuseFloods', null],
  // The dashboard and the API reference, by the paths of their files.
  ['handler', '/'],
  ['handler', '/favicon.svg'],
  ['handler', '/'],
  ['handler', '/docs'],
  ['handler', '/docs'],
  ['handler', '/help'],
  ['handler', '/help'],
  ['handler', '/llms.txt'],
  // Nest's response without a matching route, and for errors.
  ['<anonymous>', '/nothing'],
  ['<anonymous>', null],
];

/** Public routes are found by their rule, so a new one is covered automatically. */
describe('routes that need no key', () => {
  let app: TestApp;
  let routes: Route[];
  let addresses = 1;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    MovingClock.frozenIn(app.app);
    routes = routesOf(app.app).filter(({ access }) => access === 'public');
  });
  afterAll(() => app.close());

  const nextAddress = () => `127.9.0.${addresses++}`;

  function visit({ route, from, body, type = 'application/json' }: Visit): Promise<number> {
    const { hostname, port } = new URL(app.url);
    const path = route.path.replace(/:\w+/g, 'nobody');
    const headers = body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path, method: route.method, localAddress: from, headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', reject).end(body);
    });
  }
  const named = (name: string): Route => {
    const route = routes.find((each) => each.name === name);
    if (!route) throw new Error(`there is no ${name}`);
    return route;
  };

  it('count the requests of an address, unless they name another limit', async () => {
    const isCounted = new Map<string, boolean>();
    for (const route of routes) {
      const from = nextAddress();
      const statuses: number[] = [];
      for (let n = 0; n < 41; n++) statuses.push(await visit({ route, from }));
      isCounted.set(route.name, statuses.slice(0, 40).every((status) => status !== 429) && statuses[40] === 429);
    }
    const counted = [...isCounted].filter(([, is]) => is).map(([name]) => name);
    const expected = routes.filter(({ countedBy }) => countedBy === undefined).map(({ name }) => name);
    expect(counted).toEqual(expected);
    expect(expected).toContain('POST /auth/session');
  });

  it('are all attacked by the bounds tests, both those in the API document and those that it leaves out', async () => {
    const response = await fetch(`${app.url}/api/v1/openapi.json`);
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, { security?: unknown[] }>> };
    const documented = new Set(
      Object.entries(paths).flatMap(([path, operations]) =>
        Object.entries(operations)
          .filter(([, { security }]) => security?.length === 0)
          .map(([method]) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
      ),
    );
    const attacked = new Set(UNDOCUMENTED.map(({ method, path }) => `${method} ${path}`));
    expect(routes.map(({ name }) => name).filter((name) => !documented.has(name) && !attacked.has(name))).toEqual([]);
    expect(routes.length).toBeGreaterThan(15);
  });

  it('come after middleware that is known, and that is attacked if it answers', () => {
    const express = app.app.getHttpAdapter().getInstance() as Application;
    const { stack } = express.router as unknown as { stack: { name: string; route?: unknown }[] };
    const names = stack.filter(({ route }) => !route).map(({ name }) => name);
    expect(names).toEqual(MIDDLEWARE.map(([name]) => name));
    const attacked = UNDOCUMENTED.map(({ path }) => path);
    for (const [, path] of MIDDLEWARE) if (path !== null) expect(attacked).toContain(path);
  });

  it('judge the address before a byte of the body is read', async () => {
    const route = named('POST /auth/session');
    const from = nextAddress();
    for (let n = 0; n < 40; n++) await visit({ route, from, body: '{' });
    expect(await visit({ route, from, body: '{' })).toBe(429);
    expect(await visit({ route, from: nextAddress(), body: '{' })).toBe(400);
  });

  it('take JSON of 4 KiB, and no more', async () => {
    const route = named('POST /auth/session');
    const body = (bytes: number) => `{"api_key":"x"${' '.repeat(bytes - 15)}}`;
    expect(await visit({ route, from: nextAddress(), body: body(4096) })).toBe(401);
    expect(await visit({ route, from: nextAddress(), body: body(4097) })).toBe(413);
  });

  it('take the form of an acknowledgement with a note of 1,000 characters, percent-encoded', async () => {
    const route = named('POST /ack/:token');
    const type = 'application/x-www-form-urlencoded';
    const note = `note=${encodeURIComponent('😀'.repeat(1000))}`;
    expect(await visit({ route, from: nextAddress(), body: note, type })).toBe(404);
    expect(await visit({ route, from: nextAddress(), body: note.padEnd(16_385, 'x'), type })).toBe(413);
    expect(await visit({ route, from: nextAddress(), body: note, type: 'text/plain' })).toBe(415);
  });
});
