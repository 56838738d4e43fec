import type { CheckReport, ErrorCode } from '../../src/checker/checker';
import { Connectivity } from '../../src/monitoring/connectivity';
import { startApp, type TestApp } from '../harness/app';
import { HttpSink } from '../harness/http-sink';

/** A reserved name (RFC 2606): whatever resolver there is, nothing answers there. */
const NOWHERE = 'nowhere.invalid:443';

const failed = (code: ErrorCode, address: string | null = '192.0.2.7'): CheckReport => ({
  outcome: 'down',
  durationMs: 1000,
  phases: { dnsMs: null, connectMs: 1000, tlsMs: null, firstByteMs: null, transferMs: null },
  statusCode: null,
  address,
  certificate: null,
  records: null,
  redirects: [],
  error: { code, phase: 'connect', message: 'No connection within 1 s.' },
});

describe('a failure that could be our own network’s', () => {
  let sink: HttpSink;
  let app: TestApp | null = null;
  beforeAll(async () => {
    sink = await HttpSink.start();
  });
  afterEach(async () => {
    await app?.close();
    app = null;
  });
  afterAll(() => sink.close());

  const judge = async (connectivityTargets: string[], report: CheckReport): Promise<CheckReport> => {
    app = await startApp({ role: 'api', connectivityTargets });
    return app.app.get(Connectivity).judge('endpoint', report);
  };
  const alive = () => sink.url.replace('http://', '');

  it('is unknown while none of the connectivity targets answers', async () => {
    const report = await judge([NOWHERE, NOWHERE, NOWHERE], failed('connection_timeout'));
    expect(report).toMatchObject({ outcome: 'unknown', error: { code: 'monitor_offline' } });
    const health = (await (await fetch(`${app?.url}/health/ready`)).json()) as {
      details: Record<string, { detail?: string }>;
    };
    expect(health.details['connectivity']?.detail).toContain('no network');
    expect(await (await fetch(`${app?.url}/metrics`)).text()).toMatch(/^uptime_blind_seconds [0-9.]+$/m);
  });

  it('is the target’s when most of them answer, a refusal being an answer', async () => {
    const report = await judge([alive(), '127.0.0.1:1', NOWHERE], failed('connection_timeout'));
    expect(report).toMatchObject({ outcome: 'down', error: { code: 'connection_timeout' } });
  });

  it.each<[string, CheckReport]>([
    ['an answer with a wrong status', failed('status_unexpected')],
    ['a refusal', failed('connection_refused')],
    ['a certificate that has expired', failed('tls_expired')],
    ['a failure on this very machine', failed('connection_timeout', '127.0.0.1')],
  ])('needs no probe after %s', async (_, report) => {
    expect(await judge([NOWHERE], report)).toBe(report);
  });
});
