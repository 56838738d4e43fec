/** @lane slow */
import { Module } from '@nestjs/common';
import { down, resultOf } from '../../../src/checker/check-failure';
import { Checker, type CheckRequest, type CheckResult } from '../../../src/checker/checker';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { SwitchableServer } from '../../harness/servers/switchable-server';

interface Check {
  outcome: string;
  degraded: boolean;
  error: { code: string; message: string } | null;
  warning: { code: string; phase: string; message: string } | null;
}

const { warning: _, ...OLD_UP } = {
  ...resultOf(down('internal', 'internal', '')),
  outcome: 'up' as const,
  error: null,
};
const SLOW = { code: 'assertion_failed', phase: 'assertion', message: 'It is slow.' } as const;

/** A checker from another package, written before warnings existed or with unusual behavior. */
@Checker('FOREIGN')
class ForeignChecker implements Checker<string> {
  readonly targetForm = 'foreign://old, foreign://slow, foreign://both, foreign://fine or foreign://never';
  readonly assertionSources = [] as const;

  parseTarget(url: string): string {
    return url;
  }

  async check({ target }: CheckRequest<string>): Promise<CheckResult> {
    if (target === 'foreign://slow') return { ...OLD_UP, warning: SLOW };
    if (target === 'foreign://both')
      return { ...resultOf(down('connection_refused', 'connect', 'No.')), warning: SLOW };
    if (target === 'foreign://fine') return { outcome: 'fine' } as unknown as CheckResult;
    if (target === 'foreign://never') return new Promise(() => {});
    return OLD_UP as CheckResult;
  }
}

@Module({ providers: [ForeignChecker] })
class ForeignModule {}

describe('a check on demand that results in a warning', () => {
  let app: TestApp;
  let target: SwitchableServer;
  let website: string;

  beforeAll(async () => {
    target = await SwitchableServer.start();
    app = await startOwnApp({ confirmFailures: false }, { extensions: [{ name: 'test', modules: [ForeignModule] }] });
    website = await newWebsite(app.write);
  });
  afterAll(async () => {
    await app.close();
    await target.close();
  });
  beforeEach(() => (target.status = 200));

  const settings = (more: object = {}) => ({
    name: 'Front',
    type: 'HTTP',
    url: target.url,
    interval: 86_400,
    assertions: [{ source: 'body', comparison: 'contains', target: 'welcome', severity: 'warning' }],
    ...more,
  });
  const message = 'Expected body to contain welcome, but it was another value.';
  const warned = {
    outcome: 'up',
    degraded: true,
    error: null,
    warning: { code: 'assertion_failed', phase: 'assertion', message },
  };
  const newest = async (id: string) => (await app.read.get<Check[]>(`/endpoints/${id}/checks?limit=1`)).body[0];

  it('shows the warning before the endpoint is saved', async () => {
    const { status, body } = await app.write.post<Check>('/endpoints/test', settings());
    expect(status).toBe(200);
    expect(body).toMatchObject(warned);
  });

  it('shows the warning in the check that runs now, and in the list of checks', async () => {
    const id = await newEndpoint(app.write, website, settings());
    const { status, body } = await app.write.post<Check>(`/endpoints/${id}/checks`);
    expect(status).toBe(201);
    expect(body).toMatchObject(warned);
    expect(await newest(id)).toEqual(body);
  });

  it('shows only the failure if the target is down', async () => {
    target.status = 500;
    const failed = { outcome: 'down', degraded: false, error: { code: 'status_unexpected' }, warning: null };
    expect((await app.write.post<Check>('/endpoints/test', settings())).body).toMatchObject(failed);
    const id = await newEndpoint(app.write, website, settings());
    expect((await app.write.post<Check>(`/endpoints/${id}/checks`)).body).toMatchObject(failed);
    expect(await newest(id)).toMatchObject(failed);
  });

  it.each([
    ['does not support warnings', 'old', { outcome: 'up', degraded: false, error: null, warning: null }],
    ['returns a warning', 'slow', { outcome: 'up', degraded: true, error: null, warning: SLOW }],
    [
      'returns a warning with a failure',
      'both',
      { outcome: 'down', degraded: false, error: { code: 'connection_refused' }, warning: null },
    ],
    ['returns no result', 'fine', { outcome: 'unknown', error: { code: 'internal' }, warning: null }],
    // Some seconds after the timeout.
    ['never finishes', 'never', { outcome: 'unknown', error: { code: 'internal' }, warning: null }],
  ])('is recorded and listed when its checker %s', async (_what, host, expected) => {
    const foreign = { name: 'Foreign', type: 'FOREIGN', url: `foreign://${host}`, interval: 86_400, timeout: 1 };
    const id = await newEndpoint(app.write, website, foreign);
    const [tested, { status, body }] = await Promise.all([
      app.write.post<Check>('/endpoints/test', foreign),
      app.write.post<Check>(`/endpoints/${id}/checks`),
    ]);
    expect(tested.body).toMatchObject(expected);
    expect(status).toBe(201);
    expect(body).toMatchObject(expected);
    expect(await newest(id)).toMatchObject(expected);
  });
});
