import { unknownSettings } from './unknown-settings';

const meant = (name: string, setting: string): string =>
  `${name} is not a setting and has no effect: did you mean ${setting}?`;

describe('unknownSettings', () => {
  it.each([
    ['PROT', 'PORT'],
    ['PORTS', 'PORT'],
    ['port', 'PORT'],
    ['HOTS', 'HOST'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['QUOTA_WEBSITE', 'QUOTA_WEBSITES'],
    ['SECRET_KEYS', 'SECRETS_KEYS'],
    ['BOOTSTRAP_APIKEY', 'BOOTSTRAP_API_KEY'],
    ['MIN_INTERVAL_SECOND', 'MIN_INTERVAL_SECONDS'],
    ['PROBE_TOKENFILE', 'PROBE_TOKEN_FILE'],
  ])('proposes for %s the setting %s', (name, setting) => {
    expect(unknownSettings({ [name]: 'x' })).toEqual([meant(name, setting)]);
  });

  it('lists the settings of a beginning when none of them is near', () => {
    expect(unknownSettings({ SMTP_PASSWORD: 'x' })).toEqual([
      'SMTP_PASSWORD is not a setting and has no effect: the settings that start with SMTP_ are SMTP_URL, SMTP_FROM, SMTP_EHLO_NAME.',
    ]);
  });

  it.each([
    'PATH',
    'https_proxy',
    'HTTP_PROXY',
    'NO_PROXY',
    'PROBE_URL',
    'HOME',
    'PWD',
    'SHELL',
    'POST',
    'LANG',
    'USER',
    'TERM',
    'LOGNAME',
    'HOSTNAME',
    'NODE_ENV',
    'TZ',
    'EDITOR',
    'POSTGRES_PASSWORD',
    'POSTGRES_USER',
    'KUBERNETES_SERVICE_HOST',
    'SMTP_SERVICE_HOST',
    'SMTP_PORT_25_TCP_ADDR',
    'npm_config_cache',
    'XDG_DATA_DIRS',
    'SSH_AUTH_SOCK',
    'NO_COLOR',
    'PORT',
    'QUOTA_ALERTS',
    'UV_THREADPOOL_SIZE',
  ])('leaves %s alone', (name) => {
    expect(unknownSettings({ [name]: 'x' })).toEqual([]);
  });
});
