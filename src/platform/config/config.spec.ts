import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config, loadConfig } from './config';
import { ConfigError, envNames, readSettings } from './env';
import { ProbeConfig } from './probe-config';

const example = readFileSync(join(__dirname, '../../../.env.example'), 'utf8');
const lines = new Map([...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));

const PUBLIC_URL =
  'PUBLIC_URL must be an http(s) URL such as https://uptime.example.com/monitor: no user name, no query, no fragment, a path of letters, digits and - . _ ~ only.';

describe('Config', () => {
  it('has exactly the settings that .env.example lists', () => {
    const settings = [...envNames(Config).values(), ...envNames(ProbeConfig).values()];
    expect([...lines.keys()].sort()).toEqual(settings.sort());
  });

  it('has the defaults that .env.example shows', () => {
    const shown = Object.fromEntries(lines);
    expect(loadConfig(shown)).toEqual(new Config());
    expect(readSettings(ProbeConfig, shown, () => [])).toEqual(new ProbeConfig());
  });

  it('is complete without any environment variable', () => {
    expect(loadConfig({})).toEqual(new Config());
  });

  it('reports every wrong setting at once, each by its variable', () => {
    const wrong = {
      PORT: 'x',
      AUTH: 'maybe',
      EGRESS_DENY: '10.0.0.0',
      ROLE: 'boss',
      SECRETS_KEYS: 'k1:short',
      CONNECTIVITY_TARGETS: 'nowhere',
    };
    expect(() => loadConfig(wrong)).toThrow(ConfigError);
    try {
      loadConfig(wrong);
    } catch (error) {
      const names = (error as ConfigError).problems.map((problem) => problem.split(' ')[0]);
      expect(names.sort()).toEqual(Object.keys(wrong).sort());
    }
  });

  it.each([
    ['PORT', 'abc', 'PORT must be a whole number from 0 to 65535, not "abc".'],
    ['PORT', '70000', 'PORT must be a whole number from 0 to 65535, not "70000".'],
    ['MIN_INTERVAL_SECONDS', '0.5', 'MIN_INTERVAL_SECONDS must be a whole number from 1 to 86400, not "0.5".'],
    ['ROLE', 'boss', 'ROLE must be one of all, api, worker, probe, not "boss".'],
    ['AUTH', 'maybe', 'AUTH must be on or off, not "maybe".'],
    [
      'EGRESS_DENY',
      '10.0.0.0',
      'EGRESS_DENY must be networks such as 10.0.0.0/8, separated by commas, not "10.0.0.0".',
    ],
    ['MAX_CONCURRENT_CHECKS', '1e3', 'MAX_CONCURRENT_CHECKS must be a whole number from 1 to 50000, not "1e3".'],
    ['HOST', 'x'.repeat(256), `HOST must be shorter than or equal to 255 characters, not "${'x'.repeat(100)}".`],
    ['DATABASE_URL', 'mysql://u:secret@h/d', 'DATABASE_URL must be a postgres:// URL or embedded:memory.'],
    [
      'ALLOWED_HOSTS',
      `a,${'b'.repeat(256)}`,
      `ALLOWED_HOSTS must be shorter than or equal to 255 characters, not "a,${'b'.repeat(98)}".`,
    ],
    [
      'ALLOWED_HOSTS',
      'a,'.repeat(51),
      `ALLOWED_HOSTS must contain no more than 50 elements, not "${'a,'.repeat(50)}".`,
    ],
    [
      'CONNECTIVITY_TARGETS',
      '1.1.1.1:443,[::1]:65536',
      'CONNECTIVITY_TARGETS must be pairs of host:port such as 1.1.1.1:443, separated by commas, not "1.1.1.1:443,[::1]:65536".',
    ],
    ['DATABASE_URL', 'embedded:other', 'DATABASE_URL must be a postgres:// URL or embedded:memory.'],
    [
      'SECRETS_KEYS',
      `k1:${'A'.repeat(43)}=,k2:secret`,
      'SECRETS_KEYS must be pairs of id:key, the key being 32 bytes in base64 (openssl rand -base64 32), separated by commas.',
    ],
    [
      'OPERATOR_TOKEN',
      'with a space in it, and long enough',
      'OPERATOR_TOKEN must be 24 to 200 printable ASCII characters without spaces.',
    ],
    ...['example.com', 'h:25', 'http://h', 'smtp://', 'smtp://h h'].map((text): [string, string, string] => [
      'SMTP_URL',
      text,
      'SMTP_URL must be an smtp:// or smtps:// URL.',
    ]),
    ...[
      'example.com',
      'ftp://h',
      'http:h',
      'http:///x',
      'http://h:0',
      'http://h:65536',
      'http://h h',
      'http://<h>',
      'http://10.0.1',
      'http://256.1.1.1',
      'http://[::x]',
      'http://a..b',
      'http://-a',
      `http://${'h'.repeat(64)}`,
      `http://h/${'x'.repeat(2084)}`,
    ].map((text): [string, string, string] => ['HEARTBEAT_URL', text, 'HEARTBEAT_URL must be an http(s) URL.']),
    [
      'BOOTSTRAP_API_KEY',
      'too-short',
      'BOOTSTRAP_API_KEY must be 24 to 200 printable ASCII characters without spaces.',
    ],
    ...[
      'ftp://h',
      'uptime.example.com',
      'https://u:p@h',
      'https://h/?',
      'https://h/#/x',
      'https://h/a(b)',
      `https://${'h'.repeat(255)}`,
    ].map((text): [string, string, string] => ['PUBLIC_URL', text, PUBLIC_URL]),
    ...[
      'login.example.com',
      'http://login.example.com',
      'https://u:p@h',
      'https://h/?a',
      'https://h/#b',
      'ftp://h',
      'http://localhost.example.com',
      `https://${'h'.repeat(255)}`,
    ].map((text): [string, string, string] => [
      'OIDC_ISSUER',
      text,
      `OIDC_ISSUER must be the https URL of a provider, such as https://login.example.com/realms/main, with http on this machine only: no user name, no query, no fragment.`,
    ]),
    ...['profile', 'openid  email', 'openid "x"', ' openid'].map((text): [string, string, string] => [
      'OIDC_SCOPES',
      text,
      `OIDC_SCOPES must be scopes separated by spaces, openid among them, not ${JSON.stringify(text)}.`,
    ]),
    ...['ops', 'ops=Default', '=Default:read', 'a*b=Default:read', 'ops=:read', 'ops=Default:owner', 'ops=root'].map(
      (text): [string, string, string] => [
        'GROUP_ROLES',
        text,
        `GROUP_ROLES must be rules such as ops=Default:admin, shop-*=Shop:write or root=operator, separated by commas, not ${JSON.stringify(text)}.`,
      ],
    ),
  ])('states for %s=%s in one sentence what it must be', (name, text, sentence) => {
    expect(() => loadConfig({ [name]: text })).toThrow(new ConfigError([sentence]));
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'a provider without PUBLIC_URL',
      { OIDC_ISSUER: 'https://h', OIDC_CLIENT_ID: 'x' },
      'OIDC_ISSUER needs PUBLIC_URL',
    ],
    [
      'a provider without a client',
      { OIDC_ISSUER: 'http://[::1]:1', PUBLIC_URL: 'https://h' },
      'OIDC_ISSUER needs OIDC_CLIENT_ID',
    ],
    ['a client without a provider', { OIDC_CLIENT_ID: 'x' }, 'OIDC_CLIENT_ID has no effect without OIDC_ISSUER'],
    [
      'a provider with AUTH=off',
      { OIDC_ISSUER: 'https://h', OIDC_CLIENT_ID: 'x', PUBLIC_URL: 'https://h', AUTH: 'off' },
      'OIDC_ISSUER cannot be used with AUTH=off',
    ],
  ])('refuses %s', (_, environment, sentence) => {
    expect(() => loadConfig(environment)).toThrow(sentence);
  });

  it.each([
    ['PORT', '0', 'port', 0],
    ['AUTH', 'off', 'auth', false],
    ['DATABASE_URL', 'postgres://u:p@h:5432/d', 'databaseUrl', 'postgres://u:p@h:5432/d'],
    ['PUBLIC_URL', 'https://uptime.example.com', 'publicUrl', 'https://uptime.example.com'],
    ['PUBLIC_URL', 'HTTPS://Uptime.Example.com:443/Monitor//', 'publicUrl', 'https://uptime.example.com/Monitor'],
    ['PUBLIC_URL', 'http://[::1]:3000/', 'publicUrl', 'http://[::1]:3000'],
    ...['https://u:p:w@h:8443/a?b#c', 'HTTP://a_b', 'http://[::1]:80', 'http://10.0.0.1', 'http://münchen.de/ä'].map(
      (text): [string, string, string, string] => ['HEARTBEAT_URL', text, 'heartbeatUrl', text],
    ),
    ...['smtp://h', 'smtps://user:p%40ss@mail.example.com:465', 'SMTP://[::1]:25'].map(
      (text): [string, string, string, string] => ['SMTP_URL', text, 'smtpUrl', text],
    ),
    ['SMTP_FROM', `${'😀'.repeat(306)} <a@b.example>`, 'smtpFrom', `${'😀'.repeat(306)} <a@b.example>`],
    ['SMTP_FROM', 'uptime@münchen.example', 'smtpFrom', 'uptime@münchen.example'],
    ['EGRESS_ALLOW', '10.0.0.0/8, fd00::/8', 'egressAllow', ['10.0.0.0/8', 'fd00::/8']],
    [
      'CONNECTIVITY_TARGETS',
      '1.1.1.1:443,[2606:4700::1111]:443',
      'connectivityTargets',
      ['1.1.1.1:443', '[2606:4700::1111]:443'],
    ],
  ])('reads %s=%s', (name, text, field, value) => {
    expect(loadConfig({ [name]: text })[field as keyof Config]).toEqual(value);
  });
});
