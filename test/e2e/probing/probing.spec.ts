import { always, HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { eventually } from '../../../packages/testing/eventually';
import type { AssignedEndpoint } from '../../../src/probe-protocol/protocol';
import { Health } from '../../../src/platform/observability/health';
import { SlotSource } from '../../../src/probe-agent/slots/slot-source';
import { Assignments } from '../../../src/probe-agent/slots/assignments';
import { ResultBuffer } from '../../../src/probe-agent/results/result-buffer';
import { assigned, httpDefinition, ScriptedServer } from '../../harness/probe/scripted-server';
import { StartedProbe } from '../../harness/probe/started-probe';

const MINUTE = 60_000;

describe('a probe', () => {
  let server: ScriptedServer;
  let target: HttpTarget;
  let isUp: boolean;
  const probes: StartedProbe[] = [];

  beforeEach(async () => {
    server = await ScriptedServer.listen();
    isUp = true;
    target = await HttpTarget.listen((request, socket) => always(rawResponse(isUp ? 200 : 500))(request, socket));
  });
  afterEach(async () => {
    await Promise.all(probes.splice(0).map((probe) => probe.stop()));
    await server.close();
    await target.close();
  });

  const start = async (): Promise<StartedProbe> => {
    const probe = await StartedProbe.at(server);
    probes.push(probe);
    return probe;
  };
  /** Returns an endpoint with an interval of one minute and a slot half a minute from now. */
  const endpoint = (id: string, changes: Partial<AssignedEndpoint> = {}): AssignedEndpoint =>
    assigned(id, httpDefinition(target.url()), {
      interval: 60,
      phase_ms: (Math.ceil(server.now() / 20) * 20 + MINUTE / 2) % MINUTE,
      ...changes,
    });
  const holds = (probe: StartedProbe, count: number) =>
    eventually(`${count} endpoints are assigned`, () => probe.app.get(Assignments).size === count);
  const has = (id: string, count: number) =>
    eventually(`${count} results of ${id}`, () => server.of(id).length >= count);
  const keeps = (probe: StartedProbe, count: number) =>
    eventually(`${count} results wait`, () => probe.app.get(ResultBuffer).backlog === count);
  const slotsOf = (id: string): number[] => server.of(id).map(({ slot }) => slot ?? NaN);

  it('requests its work, checks each slot once and never early, and sends its results', async () => {
    const one = endpoint('ep_1');
    server.assign(one, endpoint('ep_2'));
    const probe = await start();
    await holds(probe, 2);
    expect(server.polls[0]).toMatchObject({
      protocol: 1,
      standby: false,
      cursor: null,
      count: 0,
      digest: null,
      buffered: 0,
    });
    const types = [
      'HTTP',
      'HTTPS',
      'TCP',
      'DNS',
      'ICMP',
      'SSH',
      'DOMAIN',
      'GRPC',
      'POSTGRES',
      'REDIS',
      'UDP',
      'WEBSOCKET',
    ];
    expect(server.polls[0]).toMatchObject({ types, capabilities: ['settings'] });
    for (const count of [1, 2, 3]) {
      probe.pass(count === 1 ? MINUTE / 2 : MINUTE);
      await has('ep_1', count);
      await has('ep_2', count);
      // A result that changes nothing would wait for 5 s.
      isUp = false;
    }
    const [first = NaN, ...others] = slotsOf('ep_1');
    expect((first - one.phase_ms) % MINUTE).toBe(0);
    expect(others).toEqual([first + MINUTE, first + 2 * MINUTE]);
    for (const { checked_at, slot } of server.recorded) expect(checked_at).toBeGreaterThanOrEqual(slot ?? NaN);
    expect(server.recorded[0]).toMatchObject({
      revision: 1,
      request_id: null,
      attempts: 1,
      result: { outcome: 'up', status_code: 200 },
    });
    expect(server.duplicates).toBe(0);
  });

  it('starts a new endpoint at once, with its newest slot, and a known one at its time', async () => {
    server.assign(endpoint('ep_known'), endpoint('ep_new', { run_now: true }));
    const probe = await start();
    await has('ep_new', 1);
    expect(server.of('ep_known')).toEqual([]);
    probe.pass(MINUTE / 2);
    await has('ep_new', 2);
    const [first = NaN, second] = slotsOf('ep_new');
    expect(second).toBe(first + MINUTE);
  });

  it('checks a changed endpoint with its new settings, and no longer checks a removed one', async () => {
    server.assign(endpoint('ep_1'), endpoint('ep_2'));
    const probe = await start();
    await holds(probe, 2);
    server.assign(endpoint('ep_1', { revision: 2, definition: httpDefinition(target.url('/new')) }));
    server.remove('ep_2');
    await holds(probe, 1);
    probe.pass(MINUTE / 2);
    await has('ep_1', 1);
    expect(server.of('ep_1')[0]).toMatchObject({ revision: 2 });
    expect(target.seen.map(({ path }) => path)).toEqual(['/new']);
  });

  it('receives all definitions in pages, and learns from a digest which changes it has missed', async () => {
    server.pageSize = 2;
    server.assign(...['ep_1', 'ep_2', 'ep_3', 'ep_4', 'ep_5'].map((id) => endpoint(id)));
    const probe = await start();
    await holds(probe, 5);
    server.lose('ep_3');
    probe.pass(10 * MINUTE);
    server.changed();
    await holds(probe, 4);
    expect(server.polls.find(({ digest }) => digest !== null)).toMatchObject({ count: 5, wait: 0 });
  });

  it('continues while the service is away, and then sends everything, in its order and once (Icinga #10425)', async () => {
    server.assign(endpoint('ep_1'));
    const probe = await start();
    await holds(probe, 1);
    await server.goAway();
    isUp = false;
    for (const count of [1, 2, 3]) {
      probe.pass(count === 1 ? MINUTE / 2 : MINUTE);
      await keeps(probe, count);
    }
    await server.comeBack();
    await has('ep_1', 3);
    const [first = NaN, ...others] = slotsOf('ep_1');
    expect(others).toEqual([first + MINUTE, first + 2 * MINUTE]);
    expect(server.of('ep_1').every(({ result }) => result.outcome === 'down')).toBe(true);
    expect(server.duplicates).toBe(0);
  });

  it('sends a batch again if the response was lost, and nothing counts twice', async () => {
    server.assign(endpoint('ep_1'));
    const probe = await start();
    await holds(probe, 1);
    let lost = 0;
    server.instead = (path) => {
      if (!path.endsWith('/results') || lost++ > 0) return null;
      return { status: 502, body: {} };
    };
    probe.pass(MINUTE / 2);
    await has('ep_1', 1);
    expect(lost).toBe(2);
    expect(server.of('ep_1')).toHaveLength(1);
  });

  it('starts nothing after its lease, and counts results that were kept for too long', async () => {
    isUp = false;
    server.assign(endpoint('ep_1'));
    const probe = await start();
    await holds(probe, 1);
    await server.goAway();
    probe.pass(MINUTE / 2);
    await keeps(probe, 1);
    probe.pass(14 * MINUTE);
    await keeps(probe, 2);
    // The lease has ended, and the first result is too old.
    probe.pass(2 * MINUTE);
    probe.pass(MINUTE);
    expect(target.seen).toHaveLength(2);
    await server.comeBack();
    await has('ep_1', 1);
    server.changed();
    await eventually('what was dropped is told', () => server.polls.some(({ dropped }) => dropped === 1));
    await eventually('there is a lease again', () => probe.app.get(SlotSource).leaseLeftMs > 0);
    probe.pass(MINUTE);
    await has('ep_1', 2);
    expect(server.duplicates).toBe(0);
  });

  it('is not ready a minute after the last response of the service', async () => {
    const probe = await start();
    await eventually('it has asked', () => server.polls.length > 0);
    await server.goAway();
    probe.pass(MINUTE + 1000);
    expect(await probe.app.get(Health).ready()).toMatchObject({
      ok: false,
      body: { details: { service: { ok: false, detail: 'last response 61 s ago' } } },
    });
    expect(probe.app.get(Health).live().ok).toBe(true);
  });

  it('forgets all definitions if its token is refused, keeps its results, and starts again', async () => {
    server.assign(endpoint('ep_1'));
    const probe = await start();
    await holds(probe, 1);
    server.instead = (path) => (path.endsWith('/results') ? { status: 503, body: {} } : null);
    probe.pass(MINUTE / 2);
    await keeps(probe, 1);
    const { token } = server;
    server.token = null;
    server.changed();
    await holds(probe, 0);
    probe.pass(MINUTE);
    server.instead = null;
    server.token = token;
    await holds(probe, 1);
    await has('ep_1', 1);
    expect(target.seen).toHaveLength(1);
  });

  it('leaves the work to a newer process with the same token, and takes it over when that process has ended', async () => {
    server.sessionMs = 300;
    server.assign(endpoint('ep_1'));
    const first = await start();
    await holds(first, 1);
    const second = await start();
    await holds(second, 1);
    server.changed();
    await holds(first, 0);
    await eventually('it stands by', () => server.polls.some(({ standby }) => standby));
    await second.stop();
    await holds(first, 1);
  });

  it('runs checks on demand, of an endpoint or the settings of a form, and sends their results to the right request', async () => {
    server.assign(endpoint('ep_1'));
    await holds(await start(), 1);
    const expires_at = server.now() + 20_000;
    server.ask({ request_id: 'ask-1', endpoint_id: 'ep_1', definition: null, expires_at });
    const definition = httpDefinition(target.url('/form'));
    server.ask({
      request_id: 'ask-2',
      endpoint_id: null,
      definition,
      organization: 'org_1',
      allow_private: true,
      expires_at,
    });
    server.ask({ request_id: 'ask-3', endpoint_id: 'ep_1', definition: null, expires_at: server.now() - 1 });
    server.ask({ request_id: 'ask-4', endpoint_id: 'ep_new', definition: null, expires_at });
    const answered = (): string[] => server.recorded.map(({ request_id: id }) => String(id)).sort();
    await eventually('both are answered', () => answered().length === 2);
    expect(answered()).toEqual(['ask-1', 'ask-2']);
    server.assign(endpoint('ep_new'));
    await eventually('so is the one that was ahead of its endpoint', () => answered().includes('ask-4'));
    expect(server.recorded.find(({ request_id: id }) => id === 'ask-1')).toMatchObject({
      endpoint_id: 'ep_1',
      slot: null,
      revision: 1,
    });
    expect(server.recorded.find(({ request_id: id }) => id === 'ask-2')).toMatchObject({
      endpoint_id: null,
      slot: null,
      revision: null,
    });
  });

  it('repeats the failure once with which its streak reaches the threshold of the service, and no other', async () => {
    server.assign(endpoint('ep_1', { confirm_at: 2 }));
    const probe = await start();
    await holds(probe, 1);
    isUp = false;
    for (const count of [1, 2, 3]) {
      probe.pass(count === 1 ? MINUTE / 2 : MINUTE);
      await has('ep_1', count);
    }
    expect(server.of('ep_1').map(({ attempts }) => attempts)).toEqual([1, 2, 1]);
    expect(server.of('ep_1')[1]?.first_error).toMatchObject({ code: 'status_unexpected' });
  });

  it('reports unknown for an unsupported part of a definition, and asks for an update', async () => {
    const definition = httpDefinition(target.url());
    const future = { ...definition, assertions: [{ source: 'aura', comparison: 'equals', target: 'calm' }] };
    server.assign(
      endpoint('ep_type', { run_now: true, definition: { ...definition, type: 'GOPHER' } }),
      endpoint('ep_assertion', { run_now: true, definition: future as never }),
    );
    await start();
    await has('ep_type', 1);
    await has('ep_assertion', 1);
    for (const [id, what] of [
      ['ep_type', 'the type GOPHER'],
      ['ep_assertion', 'the assertion aura equals'],
    ] as const) {
      const [result] = server.of(id);
      expect(result?.result).toMatchObject({ outcome: 'unknown', error: { code: 'internal' } });
      expect(result?.result.error?.message).toMatch(
        new RegExp(`^This probe \\(.+\\) does not support ${what}: update it\\.$`),
      );
    }
  });

  it('reaches private addresses only if the service allows it', async () => {
    server.assign(endpoint('ep_1', { run_now: true, allow_private: false }));
    await start();
    await has('ep_1', 1);
    expect(server.of('ep_1')[0]?.result).toMatchObject({ outcome: 'unknown', error: { code: 'target_blocked' } });
    expect(target.seen).toEqual([]);
  });

  it('gives up a result that the service cannot read, and loses no other result', async () => {
    server.assign(...['ep_1', 'ep_2', 'ep_3'].map((id) => endpoint(id)));
    const probe = await start();
    await holds(probe, 3);
    let isUnreadable = true;
    server.instead = (path) => (path.endsWith('/results') && isUnreadable ? { status: 413, body: {} } : null);
    probe.pass(MINUTE / 2);
    await eventually('one is given up', () => probe.app.get(ResultBuffer).lost === 1);
    isUnreadable = false;
    await eventually('the others are sent', () => server.recorded.length === 2);
  });

  it('does not accept a page of another server as a response', async () => {
    server.assign(endpoint('ep_1'));
    const probe = await start();
    await holds(probe, 1);
    server.instead = () => ({ status: 200, body: { welcome: 'please sign in to this network' } });
    probe.pass(MINUTE / 2);
    await keeps(probe, 1);
    server.instead = null;
    await has('ep_1', 1);
  });

  it('lets running checks end, and sends their results, when it is stopped', async () => {
    server.assign(endpoint('ep_1'));
    const probe = await start();
    await holds(probe, 1);
    probe.pass(MINUTE / 2);
    await eventually('the check runs', () => target.seen.length === 1);
    await probe.stop();
    expect(server.of('ep_1')).toHaveLength(1);
  });
});
