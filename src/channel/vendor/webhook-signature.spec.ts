import { isWebhookSecret, newWebhookSecret, signatureHeaders } from './webhook-signature';

const of = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

describe('a webhook signature', () => {
  it('signs the example of Standard Webhooks with the published signature', () => {
    const headers = signatureHeaders({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1_614_265_330,
      body: '{"test": 2432232314}',
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    });
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });
});

describe('a webhook secret', () => {
  it('generates a new webhook secret each time, in an accepted form', () => {
    expect(isWebhookSecret(newWebhookSecret())).toBe(true);
    expect(newWebhookSecret()).not.toBe(newWebhookSecret());
  });

  it.each([
    [of(24), true],
    [of(64), true],
    [`${of(32)} ${of(24)}`, true],
    [of(23), false],
    [of(65), false],
    [`${of(32)} ${of(32)} ${of(32)}`, false],
    [`${of(32)}  ${of(32)}`, false],
    ['whsec_', false],
    ['whsec_not base64!', false],
    [of(32).slice(6), false],
    ['', false],
  ])('%j is accepted: %j', (text, accepted) => {
    expect(isWebhookSecret(text)).toBe(accepted);
  });
});
