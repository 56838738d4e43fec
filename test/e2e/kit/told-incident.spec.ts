import { Clock } from '../../../src/platform/time/clock';
import type { ProviderFake } from '../../../packages/testing/channel/provider-double';
import { fakeDiscord } from '../../../packages/testing/providers/discord';
import { fakeEmail } from '../../../packages/testing/providers/email';
import { fakeOpsgenie, type OpsgenieFake } from '../../../packages/testing/providers/opsgenie';
import { fakePagerDuty, type PagerDutyFake } from '../../../packages/testing/providers/pagerduty';
import { fakeSlack } from '../../../packages/testing/providers/slack';
import { fakeTeams } from '../../../packages/testing/providers/teams';
import { fakeTelegram } from '../../../packages/testing/providers/telegram';
import { fakeTwilio } from '../../../packages/testing/providers/twilio';
import { type WebhookSink, webhookSink } from '../../../packages/testing/providers/webhook-sink';
import { type Service, startService } from '../../../packages/testing/service/start-service';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

describe('a service that notifies all nine providers', () => {
  let service: Service;
  let webhook: WebhookSink;
  let pagerduty: PagerDutyFake;
  let opsgenie: OpsgenieFake;
  let fakes: Readonly<Record<string, ProviderFake>>;
  beforeAll(async () => {
    service = await startService({ checks: 'on demand' });
    webhook = await webhookSink({ now: () => service.app.get(Clock).now() });
    pagerduty = await fakePagerDuty();
    opsgenie = await fakeOpsgenie();
    const [slack, discord, teams, telegram, twilio, email] = await Promise.all([
      fakeSlack(),
      fakeDiscord(),
      fakeTeams(),
      fakeTelegram(),
      fakeTwilio(),
      fakeEmail(),
    ]);
    fakes = { webhook, pagerduty, opsgenie, slack, discord, teams, telegram, twilio, email };
  });
  afterAll(async () => {
    await service.close();
    await Promise.all(Object.values(fakes).map((fake) => fake.stop()));
  });

  it('opens exactly one incident at each and closes it, hours later by its own clock', async () => {
    const target = service.target('checkout').next('down', 'down', 'down');
    const endpoint = await newEndpoint(service.write, await newWebsite(service.write), {
      type: 'SCRIPTED',
      url: target.url,
    });
    for (const [type, fake] of Object.entries(fakes)) {
      fake.acceptAll();
      const alert = { endpoint_id: endpoint, type, failure_threshold: 3, success_threshold: 1, config: fake.config() };
      expect(await service.write.post('/alerts', alert)).toMatchObject({ status: 201 });
    }
    const check = () => service.write.post(`/endpoints/${endpoint}/checks`);
    for (let count = 0; count < 3; count += 1) await check();
    await service.advance('1 s');
    expect(pagerduty.incidents()).toMatchObject([{ state: 'open' }]);
    await service.advance('3 h');
    await check();
    await service.advance('1 s');

    const told = Object.entries(fakes).map(([type, fake]) => [type, fake.messages().length]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(Object.keys(fakes).map((type) => [type, 2])));
    for (const pager of [pagerduty, opsgenie])
      expect(pager.incidents()).toMatchObject([{ state: 'resolved', triggers: 1 }]);
    expect(webhook.events().map(({ type }) => type)).toEqual(['alert.triggered', 'alert.resolved']);
    expect(webhook.repeats()).toBe(0);
    for (const fake of Object.values(fakes)) expect(() => fake.verify()).not.toThrow();
  });
});
