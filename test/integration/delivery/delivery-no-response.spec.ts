import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { ACCEPTED, DeliveryScene, type SceneAlert } from '../../harness/app/delivery-scene';
import { eventually } from '../../../packages/testing/eventually';
import { SmtpSink } from '../../../packages/testing/servers/smtp-sink';

describe('a request that was sent when its connection ended before the response was read', () => {
  let scene: DeliveryScene;
  let mail: SmtpSink;

  beforeAll(async () => {
    [scene, mail] = await Promise.all([DeliveryScene.start(), SmtpSink.start()]);
  });
  afterAll(async () => {
    await scene.close();
    await mail.stop();
  });
  beforeEach(() => armFailpoints(['outbox.after_request_written=error:once']));
  afterEach(async () => {
    armFailpoints([]);
    await scene.finish();
    mail.verify();
  });

  async function sendWithoutResponse(alert: SceneAlert): Promise<void> {
    await scene.report('F', alert);
    await scene.deliver();
    expect(await scene.rows(alert)).toMatchObject([{ state: 'pending', attempts: 1, may_have_arrived: true }]);
  }
  async function sendAgain(alert: SceneAlert): Promise<void> {
    await scene.pass(90_000, 10_000);
    expect(await scene.rows(alert)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  }

  it('repeats a webhook without a response under the same id', async () => {
    const alert = await scene.alert('webhook');
    scene.provider.expect(ACCEPTED.webhook, ACCEPTED.webhook);
    await sendWithoutResponse(alert);
    await sendAgain(alert);
    const ids = scene.provider.requests.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([ids[0], ids[0]]);
  });

  it('repeats a chat message without a response, marked as a repeat', async () => {
    const alert = await scene.alert('slack');
    scene.provider.expect(ACCEPTED.slack, ACCEPTED.slack);
    await sendWithoutResponse(alert);
    await sendAgain(alert);
    const texts = scene.provider.requests.map(({ body }) => (JSON.parse(body) as { text: string }).text);
    expect(texts).toEqual([expect.not.stringMatching(/^Repeat: /), `Repeat: ${texts[0] ?? ''}`]);
  });

  it('repeats an email without a response under the same Message-ID', async () => {
    const smtp = { host: '127.0.0.1', port: mail.port, secure: false };
    const config = { to: ['ops@example.com'], from: 'Uptime <uptime@example.com>', smtp };
    const alert = await scene.alert('webhook', { type: 'email', config });
    mail.expect({ accept: true }, { accept: true });
    await sendWithoutResponse(alert);
    await eventually('the mail has been accepted', () => mail.mails.length === 1);
    await sendAgain(alert);
    const ids = mail.mails.map(({ raw }) => /^Message-ID: .+$/im.exec(raw)?.[0]);
    expect(ids).toEqual([expect.stringContaining('<'), ids[0]]);
  });
});
