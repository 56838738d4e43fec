import { changesOf, settingsOfNew } from './field-changes';
import { filled, storedIn } from './kept-secrets';
import { sentFields } from './sent-fields';

describe('the fields of a plan', () => {
  it('are the settings that differ, in order, without derived fields', () => {
    const before = { id: 'ep_1', name: 'Front', interval: 60, tags: ['a'], status: 'up' };
    const after = { id: 'ep_1', name: 'Front', interval: 30, tags: ['a', 'b'], status: 'down' };
    expect(changesOf({ before, after })).toEqual([
      { pointer: '/interval', before: 60, after: 30 },
      { pointer: '/tags', before: ['a'], after: ['a', 'b'] },
    ]);
  });

  it('show that a masked value changes, but never the value', () => {
    const side = { body: '********', url: 'https://a/?********' };
    expect(changesOf({ before: side, after: side, hidden: ['body'] })).toEqual([
      { pointer: '/body', before: '********', after: '(changed)' },
    ]);
  });

  it('of a new resource are the fields that the document names', () => {
    const after = { name: 'Front', interval: 60, method: 'GET', key: 'front' };
    expect(settingsOfNew(after, { key: 'front', name: 'Front', alerts: [] })).toEqual([
      { pointer: '/name', before: null, after: 'Front' },
    ]);
  });
});

describe('the fields that a document sends', () => {
  it('leave out absent fields, and replace null with the default, or keep it if null is a value', () => {
    const declared = { key: 'a', interval: null, body: null, timeout: undefined, tags: null };
    expect(sentFields(declared, ['key'], { interval: 60, tags: [] })).toEqual({ interval: 60, body: null, tags: [] });
  });

  it('keep the stored value of a secret without a value, and list the secrets that have neither', () => {
    const config = { url: { $secret: 'URL' }, headers: [{ key: 'A', value: { $secret: 'A/B' } }] };
    expect(filled(config, storedIn({ url: '********' }))).toEqual({
      value: { url: '********', headers: [{ key: 'A', value: { $secret: 'A/B' } }] },
      missing: [{ pointer: '/headers/0/value', name: 'A/B' }],
    });
  });
});
