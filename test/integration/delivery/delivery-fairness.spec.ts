/** @lane slow */
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';
import { eventually } from '../../../packages/testing/eventually';
import { FakeProvider, type ReceivedRequest } from '../../../packages/testing/servers/fake-provider';

// Receivers that never respond are given up after fifteen seconds. No test waits for that.
jest.setTimeout(120_000);

const HANGING_ORGANIZATIONS = 6;
const DESTINATIONS_EACH = 24;

describe('organizations that share the attempts in flight', () => {
  let scene: DeliveryScene;
  let hanging: FakeProvider[];

  beforeEach(async () => {
    [scene, hanging] = await Promise.all([
      DeliveryScene.start({ egressPrivate: 'allow' }),
      Promise.all(Array.from({ length: HANGING_ORGANIZATIONS * 2 }, () => FakeProvider.start())),
    ]);
    for (const provider of hanging) provider.standingResponse('hang');
  });
  afterEach(async () => {
    await Promise.all(hanging.map((provider) => provider.stop()));
    await scene.close();
  });

  const attempts = (): ReceivedRequest[] => hanging.flatMap(({ requests }) => requests);
  const givenUp = (): number => attempts().filter(({ closed, status }) => closed && status === null).length;

  /** Creates alerts of another organization, each with a separate destination, at two providers that never respond. */
  const hangingAlerts = async (index: number): Promise<SceneAlert[]> => {
    const { orgId } = await scene.app.organization(`Hanging ${index}`);
    const alerts: SceneAlert[] = [];
    for (let i = 0; i < DESTINATIONS_EACH; i++)
      alerts.push(...(await scene.crowd(1, 'webhook', `never-${i}`, orgId, hanging[index * 2 + (i % 2)])));
    return alerts;
  };

  it('notifies one while the receivers of six others hang, before any of their attempts is given up', async () => {
    const crowds: SceneAlert[][] = [];
    for (let index = 0; index < HANGING_ORGANIZATIONS; index++) crowds.push(await hangingAlerts(index));
    const mine = await scene.crowd(3, 'webhook', 'mine', (await scene.app.organization('Mine')).orgId);
    scene.provider.standingResponse(ACCEPTED.webhook);
    for (const [index, alerts] of crowds.entries()) {
      await scene.report('F', ...alerts);
      const own = hanging.slice(index * 2, index * 2 + 2);
      await eventually('a receiver of this organization hangs', () => own.some(({ requests }) => requests.length > 0));
    }

    await scene.report('F', ...mine);
    await eventually('the others are notified', () => scene.received('mine').length === 3);

    expect(givenUp()).toBe(0);
    expect(attempts().length).toBeGreaterThan(50);
  });

  it('leaves all attempts to an organization that is alone', async () => {
    const alerts = await hangingAlerts(0);
    await scene.report('F', ...alerts);
    await eventually('all its receivers hang', () => attempts().length === DESTINATIONS_EACH);
    expect(givenUp()).toBe(0);
  });

  it('does not let one organization use up the attempts at a host that others send to as well', async () => {
    const [shared] = hanging;
    if (!shared) throw new Error('there is no provider');
    const { orgId } = await scene.app.organization('Hanging');
    const theirs: SceneAlert[] = [];
    for (let i = 0; i < DESTINATIONS_EACH; i++)
      theirs.push(...(await scene.crowd(1, 'webhook', `never-${i}`, orgId, shared)));
    const mine = await scene.crowd(1, 'webhook', 'mine', undefined, shared);
    // The host of a destination is known after its first attempt.
    shared.standingResponse(ACCEPTED.webhook);
    await scene.report('F', ...theirs, ...mine);
    await scene.deliver();
    shared.requests.splice(0);
    shared.standingResponse('hang');
    shared.standingResponseAt('/mine', ACCEPTED.webhook);
    await scene.report('S', ...theirs);
    await eventually('their receivers hang', () => shared.requests.length >= 16);

    await scene.report('S', ...mine);
    await eventually('mine is notified', () => shared.requests.some(({ path }) => path === '/mine'));
    expect(givenUp()).toBe(0);
  });
});
