/** @lane timed */
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { eventually } from '../../../packages/testing/eventually';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { HttpTarget } from '../../../packages/testing/servers/http-target';

/** Long enough to count as a stall, and so frequent that every check with a timeout of 3 s meets one or two. */
const STALL = { forMs: 300, everyMs: 1600 };

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('a process whose event loop stalls repeatedly', () => {
  let app: TestApp;
  let silent: HttpTarget;
  let stalling: NodeJS.Timeout;

  beforeAll(async () => {
    [app, silent] = await Promise.all([startOwnApp(), HttpTarget.listen(() => {})]);
    stalling = setInterval(() => block(STALL.forMs), STALL.everyMs);
  });
  afterAll(async () => {
    clearInterval(stalling);
    await silent.close();
    await app.close();
  });

  it('still reports a target that hangs as down', async () => {
    const id = await newEndpoint(app.write, await newWebsite(app.write), {
      type: 'HTTP',
      url: silent.url(),
      interval: 5,
      timeout: 3,
    });
    const checks = async () =>
      (await app.read.get<{ outcome: string; error: { code: string } }[]>(`/endpoints/${id}/checks`)).body;
    // On a busy machine, a check that lost most of its time is `unknown`.
    const down = await eventually(
      'a check that is down',
      async () => (await checks()).find(({ outcome }) => outcome === 'down'),
      40_000,
    );
    expect(down.error.code).toBe('first_byte_timeout');
    expect(await (await fetch(`${app.url}/metrics`)).text()).toMatch(/^uptime_stall_seconds_total [^0]/m);
  });
});
