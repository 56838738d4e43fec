import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from './env';
import { loadProbeConfig, settingsWithoutEffect } from './probe-config';

const TOKEN = `ump_${'0aZ'.repeat(12)}`;
const RIGHT = { ROLE: 'probe', PROBE_URL: 'https://uptime.example.com/monitor/', PROBE_TOKEN: TOKEN };

describe('the settings of a probe', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'uptime-probe-'));
    writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
    writeFileSync(join(folder, 'key'), 'umk_w_nothing');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const problemsOf = (environment: Record<string, string>): readonly string[] => {
    try {
      loadProbeConfig(environment);
      return [];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.problems;
    }
  };

  it('are an address and a token, and what the checks share with the service', () => {
    const { config, access } = loadProbeConfig({ ...RIGHT, MAX_CONCURRENT_CHECKS: '50', EGRESS_PRIVATE: 'deny' });
    expect(access).toMatchObject({ url: 'https://uptime.example.com/monitor', token: TOKEN, ca: null, proxy: null });
    expect(config).toMatchObject({ role: 'probe', maxConcurrentChecks: 50, egressPrivate: 'deny', port: 3000 });
  });

  it('take the token from a file', () => {
    const { access } = loadProbeConfig({
      ROLE: 'probe',
      PROBE_URL: RIGHT.PROBE_URL,
      PROBE_TOKEN_FILE: join(folder, 'token'),
    });
    expect(access.token).toBe(TOKEN);
  });

  it.each([
    ['in lower case', { https_proxy: 'http://p:3128', no_proxy: 'corp, 10.0.0.0/8' }],
    ['in both cases', { https_proxy: 'http://p:3128', HTTPS_PROXY: 'http://p:3128', NO_PROXY: 'corp,10.0.0.0/8' }],
    [
      'in one case, and empty in the other',
      { HTTPS_PROXY: '', https_proxy: 'http://p:3128', NO_PROXY: 'corp,10.0.0.0/8', no_proxy: '' },
    ],
  ])('take the proxy as other programs do: %s', (_, environment) => {
    const { access } = loadProbeConfig({ ...RIGHT, ...environment });
    expect(access).toMatchObject({ proxy: 'http://p:3128', noProxy: ['corp', '10.0.0.0/8'] });
  });

  it.each<[string, Record<string, string>, (string | RegExp)[]]>([
    [
      'nothing is set',
      { PROBE_URL: '', PROBE_TOKEN: '' },
      [/^PROBE_TOKEN or PROBE_TOKEN_FILE must be set/, /^PROBE_URL must be set/],
    ],
    ['http leads elsewhere', { PROBE_URL: 'http://uptime.example.com' }, [/^PROBE_URL must be https/]],
    ['http leads elsewhere and that is meant', { PROBE_URL: 'http://uptime.example.com', PROBE_INSECURE: 'on' }, []],
    ['http stays on this machine', { PROBE_URL: 'http://127.0.0.1:3000' }, []],
    [
      'a key is taken for a token',
      { PROBE_TOKEN: 'umk_w_nothing' },
      [/^PROBE_TOKEN must be the token that was shown .*digits\.$/],
    ],
    [
      'both kinds of token are there',
      { PROBE_TOKEN_FILE: '/nowhere' },
      [/cannot be used together/, /^PROBE_TOKEN_FILE: .*ENOENT/],
    ],
    [
      'the proxy is none',
      { HTTPS_PROXY: 'socks5://u:secret@p:1' },
      [/^HTTPS_PROXY must be the address of a proxy, such as /],
    ],
    [
      'two proxies are named',
      { HTTPS_PROXY: 'http://u:secret@p:1', https_proxy: 'http://u:secret@p:2', NO_PROXY: 'a', no_proxy: 'b' },
      [/^HTTPS_PROXY and https_proxy differ, /, /^NO_PROXY and no_proxy differ, /],
    ],
    ['the certificates cannot be read', { PROBE_CA: '/nowhere' }, [/^PROBE_CA: the file cannot be read \(ENOENT\)/]],
    ['a shared one is wrong as well', { PORT: 'x', PROBE_URL: '' }, [/^PORT must be/, /^PROBE_URL must be set/]],
  ])('are judged, all at once: %s', (_, changes, expected) => {
    const problems = problemsOf({ ...RIGHT, ...changes });
    expect(problems).toHaveLength(expected.length);
    for (const [index, text] of expected.entries()) expect(problems[index]).toMatch(text);
    expect(problems.join()).not.toContain('secret');
  });

  it('refuse files without a token or without certificates', () => {
    const key = join(folder, 'key');
    const { PROBE_URL, ROLE } = RIGHT;
    expect(problemsOf({ ROLE, PROBE_URL, PROBE_TOKEN_FILE: key })[0]).toMatch(
      /^PROBE_TOKEN_FILE: the content of the file must be/,
    );
    expect(problemsOf({ ...RIGHT, PROBE_CA: key })[0]).toMatch(/^PROBE_CA must be a file of certificates in PEM/);
  });

  it('name those of a service, which have no effect and are not judged', () => {
    const environment = { ...RIGHT, DATABASE_URL: 'nonsense', DATA_DIR: '/data', AUTH: 'off', SECRETS_KEYS: '' };
    expect(problemsOf(environment)).toEqual([]);
    expect(settingsWithoutEffect(environment)).toEqual([
      'DATABASE_URL has no effect with ROLE=probe, because a probe has no database and no API.',
      'AUTH has no effect with ROLE=probe, because a probe has no database and no API.',
    ]);
  });
});
