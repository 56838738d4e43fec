import { apiCall, checkCommand, commandsWith, shellQuote, type Target } from '../../../web/src/logic/commands';

const endpoint = (type: Target['type'], url: string, more: Partial<Target> = {}): Target => ({
  type,
  url,
  method: 'GET',
  timeout: 10,
  headers: [],
  body: null,
  follow_redirects: true,
  tls: { verify: true, ca: null, server_name: null, warn_days: 14 },
  ...more,
});

describe('commands to copy', () => {
  it.each([
    ['plain', 'plain'],
    ['https://a.example/x?y=1', "'https://a.example/x?y=1'"],
    ["it's", `'it'\\''s'`],
    ['$(reboot)', "'$(reboot)'"],
    ['', "''"],
  ])('quotes %p for a shell', (text, quoted) => expect(shellQuote(text)).toBe(quoted));

  it.each([
    [endpoint('HTTPS', 'https://a.example/'), 'curl -sS -i --max-time 10 -L --max-redirs 5 https://a.example/'],
    [
      endpoint('HTTP', 'http://a.example/', {
        method: 'POST',
        body: '{"a":1}',
        headers: [{ key: 'X-A', value: 'b c' }],
        follow_redirects: false,
      }),
      `curl -sS -i --max-time 10 -X POST -H 'X-A: b c' --data-binary '{"a":1}' http://a.example/`,
    ],
    [
      endpoint('HTTPS', 'https://nas.example/', {
        tls: { verify: false, ca: 'PEM', server_name: null, warn_days: 14 },
      }),
      'curl -sS -i --max-time 10 -L --max-redirs 5 -k https://nas.example/',
    ],
    [
      endpoint('HTTPS', 'https://192.0.2.1:8443/a', {
        tls: { verify: true, ca: 'PEM', server_name: 'nas.example', warn_days: 14 },
      }),
      "curl -sS -i --max-time 10 -L --max-redirs 5 --cacert ca.pem --connect-to nas.example:8443:192.0.2.1:8443 -H 'Host: 192.0.2.1:8443' https://nas.example:8443/a",
    ],
    [endpoint('TCP', 'tcp://db.example:5432'), 'nc -vz -w 10 db.example 5432'],
    [endpoint('REDIS', 'redis://a.example'), 'uptime check --local redis://a.example'],
    [endpoint('SSH', 'ssh://a.example'), 'ssh-keyscan -T 10 -p 22 a.example'],
    [endpoint('ICMP', '198.51.100.7'), 'ping -c 1 -W 10 198.51.100.7'],
    [endpoint('DNS', 'dns://ns.example/a.example?type=MX'), 'dig @ns.example a.example MX'],
    [endpoint('DNS', 'a.example'), 'dig a.example'],
  ])('writes a check of any type as a command that does the same (%#)', (target, command) =>
    expect(checkCommand(target)).toBe(command),
  );

  it('writes the REST call of a form as curl, without the API key', () => {
    expect(apiCall('POST', 'http://a.example', '/api/v1/alerts', { name: "o'clock" })).toBe(
      [
        'curl -X POST http://a.example/api/v1/alerts \\',
        '  -H "Authorization: Bearer $UPTIME_API_KEY" \\',
        `  -H 'Content-Type: application/json' \\`,
        `  -d '{\n  "name": "o'\\''clock"\n}'`,
      ].join('\n'),
    );
  });

  it('writes secrets of a REST call as variables, named as their fields', () => {
    const config = { routing_key: '0123"456', smtp: { host: 'mail.example', password: "it's" } };
    const call = apiCall('PUT', 'http://a.example', '/x', { config }, ['/config/routing_key', '/config/smtp/password']);
    expect(call).toContain(`"routing_key": "'"$ROUTING_KEY"'",`);
    expect(call).toContain(`"password": "'"$PASSWORD"'"`);
    expect(call).toContain('"host": "mail.example"');
    expect(call).not.toMatch(/0123|it's/);
  });
});

it('uses a key in a terminal', () => {
  expect(commandsWith('ums_r_1', 'https://uptime.example.com')).toBe(
    'export UPTIME_URL=https://uptime.example.com\nexport UPTIME_API_KEY=ums_r_1\nuptime ls',
  );
});
