import { channelsToOffer, firstContactBody } from '../../../web/src/logic/first-contact';

describe('the first contact', () => {
  it('offers email first only if the server can send it', () => {
    expect(channelsToOffer(true)[0]).toBe('email');
    expect(channelsToOffer(false)).toEqual(['slack', 'webhook', 'email']);
  });

  it('has its own mail server if one was entered', () => {
    const server = { host: ' smtp.example.com ', username: 'uptime', password: 'secret' };
    expect(firstContactBody('email', 'ops@example.com', server).config).toEqual({
      to: ['ops@example.com'],
      smtp: { host: 'smtp.example.com', username: 'uptime', password: 'secret' },
    });
    expect(firstContactBody('webhook', 'https://hooks.example.com/b', server).config).not.toHaveProperty('smtp');
  });

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
