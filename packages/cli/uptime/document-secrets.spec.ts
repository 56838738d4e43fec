import { parse } from 'yaml';
import { referredSecrets, withSecrets } from './document-secrets';

const ENV = {
  UPTIME_SECRET_CHAT: 'https://chat.example.com/"x"',
  UPTIME_SECRET_OTHER: 'not asked for',
  UPTIME_SECRET_EMPTY: '',
  HOME: '/root',
};
const CHAT = { CHAT: 'https://chat.example.com/"x"' };
const URL = '{webhook_url: {$secret: CHAT}}';

describe('the secrets of a document', () => {
  it.each([
    ['a block of YAML', `version: 1\ncontacts:\n  - config: ${URL}\n`, CHAT],
    ['one without a line end', `version: 1\ncontacts:\n  - config: ${URL}`, CHAT],
    ['one that ends with a mark', `---\nversion: 1\nconfig: ${URL}\n...\n`, CHAT],
    ['one that ends with a block of text', `config: ${URL}\nbody: |+\n  hello\n\n`, CHAT],
    ['an indented one', `  version: 1\n  config: ${URL}\n`, CHAT],
    ['JSON', `{\n  "version": 1,\n  "config": {"webhook_url": {"$secret": "CHAT"}}\n}\n`, CHAT],
    ['one with secrets of its own', `secrets:\n  CHAT: old\n  MORE: kept\nconfig: ${URL}\n`, { ...CHAT, MORE: 'kept' }],
    ['one with an empty list of secrets', `secrets: {}\nconfig: ${URL}\n`, CHAT],
  ])('are added to %s, and every line stays where it was', (_, text, secrets) => {
    const sent = withSecrets(text, ENV);
    expect(parse(sent)).toEqual({ ...(parse(text) as object), secrets });
    const lineOf = (from: string) => from.split('\n').findIndex((line) => line.includes('$secret'));
    expect(lineOf(sent)).toBe(lineOf(text));
  });

  it.each([
    ['refers to none', 'version: 1\n'],
    ['refers to one that the environment does not have', 'config: {$secret: UNKNOWN}\n'],
    ['refers to one that is empty there', 'config: {$secret: EMPTY}\n'],
    ['cannot be read', 'config: {$secret: CHAT\n'],
    ['has a key twice', `config: ${URL}\nconfig: ${URL}\n`],
    ['is no object', '- {$secret: CHAT}\n'],
    ['unfolds without an end', `a: &a [{$secret: CHAT}]\nb: &b [${'*a, '.repeat(50)}]\nc: [${'*b, '.repeat(50)}]\n`],
  ])('leave a document alone that %s', (_, text) => {
    expect(withSecrets(text, ENV)).toBe(text);
  });

  it('are not put where something else stands', () => {
    expect(() => withSecrets(`secrets: [1]\nconfig: ${URL}\n`, ENV)).toThrow(/Add an empty "secrets: \{\}"/);
  });

  it('are found wherever they stand, but only as the one member of an object', () => {
    const value = {
      a: [{ $secret: 'A' }],
      b: { c: { $secret: 'B' } },
      d: { $secret: 'C', other: 1 },
      e: { $secret: 5 },
    };
    expect([...referredSecrets(value)]).toEqual(['A', 'B']);
  });
});
