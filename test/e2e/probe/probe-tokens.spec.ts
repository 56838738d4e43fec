/** @databases both */
import { Controller, Module } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { defineExtension } from '../../../src/exports/index';
import { CallingProbe, type ProbeCaller } from '../../../src/platform/access/caller';
import { Database } from '../../../src/platform/database/database';
import { Route } from '../../../src/platform/http/route.decorator';
import { formatId, parseId } from '../../../src/platform/ids/id';
import { Api, type ApiResponse } from '../../../packages/testing/service/api';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';

class SeenView {
  @ApiProperty({ type: String, nullable: true })
  orgId!: string | null;
  @ApiProperty()
  probeId!: string;
  @ApiProperty()
  number!: number;
}

/** A route for probes that returns the caller. */
@Controller('api/v1/seen')
class SeenController {
  @Route('GET', '', {
    access: 'probe',
    operationId: 'seen',
    summary: 'Who calls',
    description: 'The probe that calls.',
    returns: { ok: SeenView, description: 'It.' },
  })
  seen(@CallingProbe() probe: ProbeCaller): Promise<SeenView> {
    return Promise.resolve(probe);
  }
}

@Module({ controllers: [SeenController] })
class SeenModule {}

interface Made {
  id: string;
  token: string;
}
interface Rotated {
  token: string;
  previous_until: string | null;
}

describe('the token of a probe', () => {
  let app: TestApp;
  let clock: MovingClock;
  let keys = 0;

  beforeAll(async () => {
    const extensions = [defineExtension({ name: 'seen', modules: [SeenModule] })];
    app = await startOwnApp({ role: 'api', quotaProbes: 1000 }, { extensions });
    clock = MovingClock.frozenIn(app.app);
  });
  afterAll(() => app.close());
  // Separates the limits of the tests from each other.
  afterEach(() => clock.advance(3_600_000));

  const made = async (by: Api = app.admin, path = '/probes'): Promise<Made> =>
    (await by.post<Made>(path, { key: `probe-${++keys}` })).body;
  const rotate = async ({ id }: Made, fields: object = {}): Promise<Rotated> =>
    (await app.admin.post<Rotated>(`/probes/${id}/rotate`, fields)).body;
  const call = (token: string | null): Promise<ApiResponse<{ code: string; detail: string }>> =>
    new Api(app.url, token).get('/seen');
  const statuses = async (...tokens: string[]): Promise<number[]> => {
    const found: number[] = [];
    for (const token of tokens) found.push((await call(token)).status);
    return found;
  };

  it('identifies the probe and its organization; a shared one has no organization', async () => {
    const [own, shared] = [await made(), await made(app.operator, '/shared-probes')];
    const of = (id: string, orgId: string | null) => ({
      probeId: parseId('probe', id),
      number: expect.any(Number),
      orgId,
    });
    expect((await call(own.token)).body).toEqual(of(own.id, app.orgId));
    expect((await call(shared.token)).body).toEqual(of(shared.id, null));
  });

  it('is the only way in: keys, the operator’s token, and wrong tokens get one 401', async () => {
    const { token } = await made();
    const other = token.endsWith('x') ? 'y' : 'x';
    const wrong = [app.admin.key, app.operator.key, 'nonsense', token.slice(0, -1) + other, null];
    const refused = await Promise.all(wrong.map(call));
    const seen = refused.map(({ status, headers, body }) => [
      status,
      headers['www-authenticate'],
      body.code,
      body.detail,
    ]);
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(seen[0]).toEqual([401, 'Bearer realm="probe"', 'unauthenticated', expect.stringContaining('ump_')]);
  });

  it('opens no other route', async () => {
    const { token } = await made();
    const asked = ['/organization', '/probes', '/organizations'].map((path) => new Api(app.url, token).get(path));
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  it('of a disabled probe is refused from the next request, and works again once it is enabled', async () => {
    const { id, token } = await made();
    const enable = (enabled: boolean) => app.admin.put(`/probes/${id}`, { enabled });
    await enable(false);
    expect(await call(token)).toMatchObject({ status: 403, body: { code: 'probe_disabled' } });
    await enable(true);
    expect(await statuses(token)).toEqual([200]);
  });

  it('is refused as an unknown one once the probe, or its organization, is deleted', async () => {
    const organization = await app.organization('Gone');
    const [probe, theirs] = [await made(), await made(organization.admin)];
    expect(await statuses(probe.token, theirs.token)).toEqual([200, 200]);
    await app.admin.delete(`/probes/${probe.id}`);
    await app.app.get(Database).query('UPDATE organization SET deleted_at = now() WHERE id = $1', [organization.orgId]);
    expect(await statuses(probe.token, theirs.token)).toEqual([401, 401]);
    await app.operator.delete(`/organizations/${formatId('organization', organization.orgId)}`);
  });

  it('that is new works next to the old one, which ends when the new one is first used (Grafana agent #195)', async () => {
    const probe = await made();
    const { token, previous_until } = await rotate(probe);
    expect(Date.parse(previous_until ?? '')).toBeGreaterThan(Date.parse('2026-01-01'));
    expect(await statuses(probe.token, probe.token, token, probe.token, token)).toEqual([200, 200, 200, 401, 200]);
  });

  it('that is old ends after its grace, though the new one was never used', async () => {
    const probe = await made();
    const { token } = await rotate(probe, { grace: 60 });
    clock.advance(59_000);
    expect(await statuses(probe.token)).toEqual([200]);
    clock.advance(1000);
    expect(await statuses(probe.token, token)).toEqual([401, 200]);
  });

  it('that is old ends at once without a grace', async () => {
    const probe = await made();
    const { token, previous_until } = await rotate(probe, { grace: 0 });
    expect([previous_until, ...(await statuses(probe.token, token))]).toEqual([null, 401, 200]);
  });

  it('that was lost unused is replaced, and the one in use continues to work', async () => {
    const probe = await made();
    const lost = await rotate(probe);
    const { token } = await rotate(probe);
    expect(await statuses(lost.token, probe.token, token, probe.token)).toEqual([401, 200, 200, 401]);
  });

  it.each([
    [-1, 'out_of_range'],
    [86_401, 'out_of_range'],
    [1.5, 'wrong_type'],
    ['60', 'wrong_type'],
    [null, 'wrong_type'],
  ])('is not rotated with a grace of %j', async (grace, code) => {
    const { id } = await made();
    const { status, body } = await app.admin.post<{ errors: object[] }>(`/probes/${id}/rotate`, { grace });
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ pointer: '/grace', code })]]);
  });

  it('is guessed at no faster than a key, and the right one still works', async () => {
    const { token } = await made();
    expect(await statuses(token)).toEqual([200]);
    const wrong = `ump_${'0'.repeat(36)}`;
    const tried = await statuses(...Array.from({ length: 30 }, () => wrong));
    expect([tried.filter((status) => status === 401).length, tried.at(-1)]).toEqual([20, 429]);
    expect(await statuses(token)).toEqual([200]);
  });

  it('may be used 60 times at once, then 20 times a second', async () => {
    const { token } = await made();
    const burst = await statuses(...Array.from({ length: 61 }, () => token));
    expect([burst.filter((status) => status === 200).length, burst.at(-1)]).toEqual([60, 429]);
    clock.advance(1000);
    const next = await statuses(...Array.from({ length: 21 }, () => token));
    expect(next.filter((status) => status === 200).length).toBe(20);
  });
});
