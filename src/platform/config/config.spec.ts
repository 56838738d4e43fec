import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config, loadConfig } from './config';
import { ConfigError, envNames } from './env';

const example = readFileSync(join(__dirname, '../../../.env.example'), 'utf8');
const lines = new Map([...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));

describe('the settings', () => {
  it('are all in .env.example, and nothing else is', () => {
    expect([...lines.keys()].sort()).toEqual([...envNames(Config).values()].sort());
  });

  it('have in .env.example the defaults they have in the code', () => {
    expect(loadConfig(Object.fromEntries(lines))).toEqual(new Config());
  });

  it('need no variable at all', () => {
    expect(loadConfig({})).toEqual(new Config());
  });

  it('are told wrong all at once, each with its variable', () => {
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
      const names = (error as ConfigError).problems.map((problem) => problem.split(':')[0]);
      expect(names.sort()).toEqual(Object.keys(wrong).sort());
    }
  });

  it.each([
    ['PORT', '0', 'port', 0],
    ['AUTH', 'off', 'auth', false],
    ['DATABASE_URL', 'postgres://u:p@h:5432/d', 'databaseUrl', 'postgres://u:p@h:5432/d'],
    ['EGRESS_ALLOW', '10.0.0.0/8, fd00::/8', 'egressAllow', ['10.0.0.0/8', 'fd00::/8']],
    [
      'CONNECTIVITY_TARGETS',
      '1.1.1.1:443,[2606:4700::1111]:443',
      'connectivityTargets',
      ['1.1.1.1:443', '[2606:4700::1111]:443'],
    ],
  ])('%s=%s is read', (name, text, field, value) => {
    expect(loadConfig({ [name]: text })[field as keyof Config]).toEqual(value);
  });
});
