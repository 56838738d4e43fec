import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { OPERATORS_EGRESS } from '../platform/net/egress/egress-policy';
import type { Assertion } from './assertion/assertion';
import { CheckResultBuilder } from './check-result-builder';

const builderWith = (assertions: readonly Assertion[] = [], signal = new AbortController().signal) =>
  new CheckResultBuilder(
    {
      target: null,
      settings: {},
      method: 'GET',
      headers: [],
      body: null,
      followRedirects: true,
      tls: null,
      assertions,
      egress: OPERATORS_EGRESS,
    },
    signal,
  );

describe('CheckResultBuilder', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  /** Connects to a server that runs `script` for the connection. */
  const connected = async (script: (socket: Socket) => void): Promise<Socket> => {
    server = createServer((socket) => script(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const isLine = (received: string) => received.includes('\n');

  it('returns the response once it is complete, records the wait, and destroys the socket', async () => {
    const socket = await connected((peer) => peer.on('data', (data) => peer.write(`${String(data)}!\n`)));
    const builder = builderWith();
    expect(await builder.ask(socket, 'hello', isLine)).toBe('hello!\n');
    expect(socket.destroyed).toBe(true);
    expect(builder.finish()).toMatchObject({ outcome: 'up', phases: { firstByteMs: expect.any(Number) as unknown } });
  });

  it.each<[string, (socket: Socket) => void, string, string]>([
    ['closes the connection early', (peer) => peer.end('hel'), 'protocol_error', 'closed the connection before'],
    ['sends without end', (peer) => peer.write('x'.repeat(100_000)), 'protocol_error', 'within 64 KiB'],
    [
      'resets the connection',
      (peer) => peer.on('data', () => peer.resetAndDestroy()),
      'connection_reset',
      'reset by the server',
    ],
  ])('reports a server as down that %s', async (_, script, code, sentence) => {
    const builder = builderWith();
    expect(await builder.ask(await connected(script), 'hello', isLine)).toBeNull();
    expect(builder.finish()).toMatchObject({
      outcome: 'down',
      error: { code, phase: 'first_byte', message: expect.stringContaining(sentence) as unknown },
    });
  });

  it('reports unknown for a check that a shutdown ended', async () => {
    const shutdown = new AbortController();
    const builder = builderWith([], shutdown.signal);
    const response = builder.ask(await connected(() => {}), 'hello', isLine);
    shutdown.abort(new Error('shutting down'));
    expect(await response).toBeNull();
    expect(builder.finish()).toMatchObject({ outcome: 'unknown', error: { code: 'internal' } });
  });

  it('keeps the first failure and evaluates no assertion after it', () => {
    const builder = builderWith([{ source: 'response_time', comparison: 'less_than', target: '0' }]);
    builder.down('banner_invalid', 'first_byte', 'The first.');
    builder.unknown('internal', 'internal', 'The second.');
    expect(builder.finish()).toMatchObject({ outcome: 'down', error: { code: 'banner_invalid' } });
  });

  it('evaluates the assertions with the sum of the phases and the given facts', () => {
    const builder = builderWith([
      { source: 'response_time', comparison: 'less_than', target: '31' },
      { source: 'banner', comparison: 'contains', target: 'SSH' },
    ]);
    builder.add('connectMs', 10);
    builder.add('connectMs', 10);
    builder.add('firstByteMs', 10.5);
    expect(builder.finish({ banner: 'HTTP' })).toMatchObject({
      durationMs: 30.5,
      error: { code: 'assertion_failed', message: expect.stringContaining('banner') as unknown },
    });
  });

  const slow: Assertion = { source: 'response_time', comparison: 'less_than', target: '30' };
  const warning: Assertion = { ...slow, severity: 'warning' };
  const failure = {
    code: 'assertion_failed',
    phase: 'assertion',
    message: 'Expected response_time to be less than 30, but it was 40 ms.',
  };

  it.each([
    { name: 'only a warning', assertions: [warning], outcome: 'up', error: null, warns: failure },
    { name: 'only a critical one', assertions: [slow], outcome: 'down', error: failure, warns: null },
    { name: 'both', assertions: [warning, slow], outcome: 'down', error: failure, warns: null },
  ])('reports a target as $outcome if $name does not hold', ({ assertions, outcome, error, warns }) => {
    const builder = builderWith(assertions);
    builder.add('connectMs', 40);
    expect(builder.finish()).toMatchObject({ outcome, error, warning: warns });
  });

  it('keeps no warning next to a failure, in either order', () => {
    const builder = builderWith([warning]);
    builder.judged({ index: 0, severity: 'warning', expected: 'it to be fast', seen: 'slow' });
    builder.down('body_timeout', 'transfer', 'The body did not end.');
    expect(builder.finish()).toMatchObject({ outcome: 'down', error: { code: 'body_timeout' }, warning: null });
  });

  it('keeps the sentence of a warning within 300 characters', () => {
    const builder = builderWith([warning]);
    builder.judged({ index: 0, severity: 'warning', expected: 'x'.repeat(400), seen: 'y' });
    expect(builder.finish().warning?.message).toHaveLength(300);
  });
});
