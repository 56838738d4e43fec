import { HttpTarget, rawResponse } from '../../testing/servers/http-target';
import { closedPort } from '../../testing/servers/tcp-target';
import { sendPing } from './send-ping';

const ok = rawResponse(200, 'OK');

describe('sendPing', () => {
  let server: HttpTarget;
  let pauses: number[];
  let answers: string[];

  beforeAll(async () => {
    server = await HttpTarget.listen((_, socket) => socket.end(answers.shift() ?? ok));
  });
  afterAll(() => server.close());
  beforeEach(() => {
    pauses = [];
    answers = [];
  });

  const send = (url = server.url('/ping/secret'), signal = new AbortController().signal) =>
    sendPing({ url: new URL(url), body: Buffer.from('the end') }, signal, (ms) => Promise.resolve(pauses.push(ms)));

  it('posts the output, once', async () => {
    const before = server.seen.length;
    expect([await send(), pauses]).toEqual([null, []]);
    expect(server.seen.slice(before)).toMatchObject([{ method: 'POST', path: '/ping/secret', body: 'the end' }]);
  });

  it('tries again while the service is away, and waits as long as it asks for', async () => {
    answers = [rawResponse(503, 'no'), rawResponse(429, 'no', { 'Retry-After': '9' }), 'nonsense'];
    expect([await send(), pauses]).toEqual([null, [1000, 9000, 4000]]);
  });

  it('waits no longer than 15 s, whatever a proxy asks for', async () => {
    answers = [rawResponse(503, 'no', { 'Retry-After': '3600' })];
    expect([await send(), pauses]).toEqual([null, [15000]]);
  });

  it('gives up after five retries over 30 s', async () => {
    const words = await send(`http://127.0.0.1:${await closedPort()}/ping/secret`);
    expect([words, pauses]).toEqual([
      'the service refused the connection: is the service running on this port?',
      [1000, 2000, 4000, 8000, 15000],
    ]);
  });

  it.each([
    [rawResponse(404, 'not found'), 'the service has no heartbeat with this ping URL (404)'],
    [rawResponse(400, 'invalid url format'), 'the service responded with 400'],
    [
      rawResponse(301, '', { Location: 'http://127.0.0.1/' }),
      'the ping URL redirects (301), and redirects are not followed',
    ],
  ])('does not repeat what cannot pass: %j', async (answer, words) => {
    answers = [answer];
    expect([await send(), pauses]).toEqual([words, []]);
  });

  it('ends at once when nobody waits any longer', async () => {
    const silent = await HttpTarget.listen(() => undefined);
    const stop = new AbortController();
    const sent = send(silent.url(), stop.signal);
    stop.abort();
    expect([await sent, pauses]).toEqual([null, []]);
    await silent.close();
  });
});
