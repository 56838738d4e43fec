/** @lane slow */
import { describePaging } from '../../../packages/testing/contract/resources/paging';
import { Scene } from '../../../packages/testing/contract/rules/scene';
import { describeSuccesses } from '../../../packages/testing/contract/rules/successes';
import { Session } from '../../../packages/testing/contract/session/session';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { hashCheaply } from '../../harness/app/person';
import { freePort } from '../../harness/machine/free-port';
import { hasProxy, ReverseProxy, skippedWithout } from '../../harness/processes/reverse-proxy';

(hasProxy('nginx') ? describe : describe.skip)(`a service below a path of nginx${skippedWithout('nginx')}`, () => {
  let app: TestApp;
  let proxy: ReverseProxy | null = null;
  let opened: Session | null = null;
  let made: Scene | null = null;
  const session = () => {
    if (!opened) throw new Error('the service has not started');
    return opened;
  };
  const scene = () => (made ??= new Scene(session()));

  beforeAll(async () => {
    const port = await freePort();
    app = await startOwnApp({ publicUrl: `http://127.0.0.1:${port}/monitor`, trustedProxies: ['127.0.0.1/32'] });
    hashCheaply(app);
    proxy = await ReverseProxy.start('nginx', [app.url], { port, isBelow: true });
    const [admin, write, read] = [app.admin.key, app.write.key, app.read.key];
    opened = await Session.open(`${proxy.url}/monitor`, { admin, write, read, operator: app.operator.key }, {});
  });
  afterAll(async () => {
    await opened?.close();
    await proxy?.stop();
    await app.close();
  });

  // Each operation of the document once, and each list page by page.
  describeSuccesses(session, scene, true);
  describePaging(session);

  it('sends no URL outside the path, in any header, body, or page', () => {
    expect(session().record.leadingAway).toEqual([]);
  });
});
