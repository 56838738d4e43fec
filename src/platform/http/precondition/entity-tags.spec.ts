import type { ServerSecrets } from '../../secrets/server-secrets';
import { EntityTags, tagged } from './entity-tags';

const tagsWith = (secret: string) => new EntityTags({ get: () => Buffer.from(secret) } as unknown as ServerSecrets);
const tags = tagsWith('one');
const settings = { id: 'a', name: 'Shop', config: { b: 1, a: [1, 2] }, at: new Date(0) };

describe('the tag of a resource', () => {
  it('is strong: 22 characters in quotes', () => {
    expect(tags.of(settings)).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
  });

  it.each([
    ['members in another order', true, { at: new Date(0), config: { a: [1, 2], b: 1 }, name: 'Shop', id: 'a' }],
    ['another name', false, { ...settings, name: 'shop' }],
    ['another order of a list', false, { ...settings, config: { b: 1, a: [2, 1] } }],
    ['the id of another resource', false, { ...settings, id: 'b' }],
    ['a setting that is null', false, { ...settings, at: null }],
  ])('with %s is the same: %s', (_, isSame, other) => {
    expect(tags.of(other) === tags.of(settings)).toBe(isSame);
  });

  it('cannot be computed from the settings alone, because each installation has its own tags', () => {
    expect(tagsWith('two').of(settings)).not.toBe(tags.of(settings));
  });

  it('is sent with the object that shows it, and with no other', () => {
    const view = tagged({ name: 'Shop' }, settings);
    expect([tags.ofResponse(view), tags.ofResponse({ ...view }), tags.ofResponse(undefined)]).toEqual([
      tags.of(settings),
      null,
      null,
    ]);
  });
});
