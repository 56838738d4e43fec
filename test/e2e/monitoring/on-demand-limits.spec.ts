/**
 * @lane slow
 * @databases both
 */
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import { eventually } from '../../../packages/testing/eventually';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';

/** An organization may request eight checks at once, which is half of them. */
const PLACES = 16;

interface Refusal {
  status: number;
  code: string;
  retryAfter: string | null;
}

/** A request whose client may disconnect before the response. */
class Request {
  private readonly client = new AbortController();
  readonly refusal: Promise<Refusal>;

  constructor(api: Api, path: string, body?: object) {
    this.refusal = this.send(api, path, body);
    this.refusal.catch(() => {});
  }

  leave(): void {
    this.client.abort();
  }

  private async send(api: Api, path: string, body: object = {}): Promise<Refusal> {
    const response = await fetch(`${api.url}/api/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${api.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: this.client.signal,
    });
    const { code } = (await response.json()) as { code: string };
    return { status: response.status, code, retryAfter: response.headers.get('retry-after') };
  }
}

describe('checks on demand', () => {
  let app: TestApp;
  let mine: ServiceOrganization;
  let other: ServiceOrganization;
  let target: HttpTarget;
  let asked: Request[];
  let inFlight = 0;
  let mostInFlight = 0;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', egressPrivate: 'allow', maxConcurrentChecks: PLACES });
    [mine, other] = [await app.organization('Mine'), await app.organization('Other')];
    target = await HttpTarget.listen(({ path }, socket) => {
      if (path === '/silent') return;
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      const respond = () => {
        inFlight--;
        socket.end(rawResponse(200));
      };
      setTimeout(respond, path === '/slow' ? 600 : 0);
    });
  });
  beforeEach(() => {
    asked = [];
  });
  afterEach(async () => {
    for (const request of asked) request.leave();
    await connections(0);
  });
  afterAll(() => Promise.all([app.close(), target.close()]));

  const ask = (api: Api, path: string, body?: object) => {
    const request = new Request(api, path, body);
    asked.push(request);
    return request;
  };
  const endpoint = async (api: Api, path: string, more: object = {}) =>
    newEndpoint(api, await newWebsite(api), { type: 'HTTP', url: target.url(path), timeout: 120, ...more });
  const connections = (count: number) =>
    eventually(`${count} connections to the target`, () => target.tcp.openConnections === count);

  it('are at most eight at once for an organization, of all kinds together', async () => {
    const draft = { name: 'Draft', type: 'HTTP', url: target.url('/silent'), timeout: 120 };
    const first = await endpoint(mine.write, '/silent');
    ask(mine.write, `/endpoints/${first}/checks`);
    for (let count = 0; count < 7; count++) ask(mine.write, '/endpoints/test', draft);
    await connections(8);
    const refused = { status: 429, code: 'rate_limited', retryAfter: '2' };
    const second = await endpoint(mine.write, '/quick');
    expect(await ask(mine.write, `/endpoints/${second}/checks`).refusal).toEqual(refused);
    expect(await ask(mine.write, '/endpoints/test', draft).refusal).toEqual(refused);
    const alert = await newAlert(mine.write, second);
    expect(await ask(mine.write, `/alerts/${alert}/test`).refusal).toEqual(refused);
    const foreign = await endpoint(other.write, '/quick');
    expect((await other.write.post(`/endpoints/${foreign}/checks`)).status).toBe(201);
  });

  it('end when the client disconnects: nothing is recorded and no socket stays', async () => {
    const id = await endpoint(mine.write, '/silent');
    const draft = { name: 'Draft', type: 'HTTP', url: target.url('/silent'), timeout: 120 };
    const requests = [ask(mine.write, `/endpoints/${id}/checks`), ask(mine.write, '/endpoints/test', draft)];
    await connections(2);
    for (const request of requests) request.leave();
    await connections(0);
    await eventually('no check is in flight', async () => {
      const metrics = await (await fetch(`${app.url}/metrics`)).text();
      return /^uptime_checks_in_flight 0$/m.test(metrics);
    });
    expect((await mine.read.get(`/endpoints/${id}/checks`)).body).toEqual([]);
  });

  it('are one at a time for an endpoint', async () => {
    const id = await endpoint(mine.write, '/silent');
    ask(mine.write, `/endpoints/${id}/checks`);
    await connections(1);
    expect(await ask(mine.write, `/endpoints/${id}/checks`).refusal).toMatchObject({ status: 409, code: 'conflict' });
  });

  it('are refused while there is no slot for them', async () => {
    const draft = { name: 'Draft', type: 'HTTP', url: target.url('/silent'), timeout: 120 };
    for (let count = 0; count < 8; count++) ask(mine.write, '/endpoints/test', draft);
    await connections(8);
    // The other organization may have half of the remaining places. The rest is kept for the next organization.
    for (let count = 0; count < 4; count++) ask(other.write, '/endpoints/test', draft);
    await connections(12);
    const id = await endpoint(other.write, '/silent');
    expect(await ask(other.write, `/endpoints/${id}/checks`).refusal).toEqual({
      status: 503,
      code: 'temporarily_unavailable',
      retryAfter: '2',
    });
  });

  it('never run at the same time as the scheduled check of the endpoint', async () => {
    const scheduled = await startOwnApp();
    const id = await endpoint(scheduled.write, '/slow', { interval: 1 });
    mostInFlight = 0;
    for (let count = 0; count < 4; count++) {
      await eventually('a scheduled check is under way', () => inFlight === 1);
      expect((await scheduled.write.post(`/endpoints/${id}/checks`)).status).toBe(201);
    }
    await scheduled.close();
    expect(mostInFlight).toBe(1);
  });
});
