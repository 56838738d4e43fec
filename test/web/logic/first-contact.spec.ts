import { firstContactBody } from '../../../web/src/logic/first-contact';

describe('the first contact', () => {
  it('is created from one address, and as a default', () => {
    expect(firstContactBody('email', ' ops@example.com, boss@example.com ')).toEqual({
      name: 'ops@example.com',
      type: 'email',
      config: { to: ['ops@example.com', 'boss@example.com'] },
      default: true,
      alert_defaults: { failure_threshold: 2 },
    });
    expect(firstContactBody('slack', 'https://hooks.example.com/a').config).toEqual({
      webhook_url: 'https://hooks.example.com/a',
    });
    expect(firstContactBody('webhook', 'https://hooks.example.com/b')).toMatchObject({
      name: 'Webhook',
      config: { url: 'https://hooks.example.com/b' },
    });
  });
});
