import { isDirect } from './proxy-rules';

describe('NO_PROXY', () => {
  it.each([
    ['*', 'uptime.example.com', true],
    ['uptime.example.com', 'uptime.example.com', true],
    ['UPTIME.example.COM', 'uptime.example.com', true],
    ['example.com', 'uptime.example.com', true],
    ['.example.com', 'uptime.example.com', true],
    ['*.example.com', 'uptime.example.com', true],
    ['ample.com', 'uptime.example.com', false],
    ['uptime.example.com:443', 'uptime.example.com', true],
    ['uptime.example.com:8443', 'uptime.example.com', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.0.0/16', '10.1.2.3', true],
    ['10.2.0.0/16', '10.1.2.3', false],
    ['10.1.0.0/16', 'uptime.example.com', false],
    ['::1', '[::1]', true],
    ['fd00::/8', '[fd00::5]', true],
    ['2.3', '10.1.2.3', false],
    ['', 'uptime.example.com', false],
    ['not/a/network', 'uptime.example.com', false],
  ])('with %j, %s is reached without the proxy: %s', (rule, host, direct) => {
    expect(isDirect([rule], host, 443)).toBe(direct);
  });
});
