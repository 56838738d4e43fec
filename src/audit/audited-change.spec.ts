import fc from 'fast-check';
import { differenceOf, MAX_SIDE_BYTES } from './audited-change';

describe('differenceOf', () => {
  const website = { id: 'ws_1', name: 'Shop', url: 'https://shop.example/', enabled: true, endpoint_count: 3 };
  const settings = { name: 'Shop', url: 'https://shop.example/', enabled: true };

  it('names a hidden setting that has no mask to show', () => {
    expect(differenceOf({}, {}, ['password'])).toEqual({ changed: ['password'], before: {}, after: {} });
  });

  it('holds all settings of a created or deleted resource, without derived fields', () => {
    expect(differenceOf(null, website)).toEqual({ changed: [], before: null, after: settings });
    expect(differenceOf(website, null)).toEqual({ changed: [], before: settings, after: null });
  });

  it('holds only the changed settings of an update', () => {
    expect(differenceOf(website, { ...website, enabled: false, endpoint_count: 4 })).toEqual({
      changed: ['enabled'],
      before: { enabled: true },
      after: { enabled: false },
    });
  });

  it('is empty for an update that changed only the order of keys inside a setting', () => {
    const before = { config: { a: 1, b: [2] }, body: undefined };
    expect(differenceOf(before, { config: { b: [2], a: 1 } })).toEqual({ changed: [], before: {}, after: {} });
  });

  it('lists settings that changed behind a mask', () => {
    const alert = { type: 'slack', config: { webhook_url: 'https://hooks.slack.com/********' } };
    expect(differenceOf(alert, alert, ['config'])).toEqual({
      changed: ['config'],
      before: { config: alert.config },
      after: { config: alert.config },
    });
  });

  it('lists a setting that was added or removed', () => {
    expect(differenceOf({ a: 1 }, { b: null })).toEqual({ changed: ['a', 'b'], before: { a: 1 }, after: { b: null } });
  });

  it('cuts long texts at any depth, and still notices a difference after the cut', () => {
    const long = 'x'.repeat(600);
    const { changed, before, after } = differenceOf({ list: [{ body: `${long}a` }] }, { list: [{ body: `${long}b` }] });
    expect(changed).toEqual(['list']);
    expect(before).toEqual({ list: [{ body: `${'x'.repeat(500)}… (601 characters)` }] });
    expect(after).toEqual(before);
  });

  it('cuts no character in half: the database would refuse the entry', () => {
    const description = `${'x'.repeat(499)}🔥${'y'.repeat(100)}`;
    const { after } = differenceOf({ description: '' }, { description });
    expect(after).toEqual({ description: `${'x'.repeat(499)}… (601 characters)` });
    expect(differenceOf({ a: 1 }, { a: '\ud83d' }).after).toEqual({ a: '\ufffd' });
  });

  const bytesOf = (side: unknown): number => Buffer.byteLength(JSON.stringify(side));

  it('keeps each side within its byte limit, and reports what was cut', () => {
    const headers = Array.from({ length: 50 }, (_, i) => ({ key: `x-${i}`.padEnd(256, 'k'), value: '********' }));
    const assertions = Array.from({ length: 20 }, () => ({
      source: 'body',
      comparison: 'equals',
      target: 't'.repeat(900),
    }));
    const { after } = differenceOf(null, { name: 'Shop', type: 'HTTP', interval: 60, headers, assertions });
    expect(bytesOf(after)).toBeLessThanOrEqual(MAX_SIDE_BYTES);
    expect(after).toMatchObject({ name: 'Shop', type: 'HTTP', interval: 60 });
    expect(JSON.stringify(after)).toMatch(/… \((?:46 more|\d+ bytes)\)/);
  });

  it('keeps each side within its byte limit for any settings', () => {
    const settings = fc.dictionary(
      fc.stringMatching(/^[a-z_]{1,20}$/),
      fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }),
      {
        maxKeys: 25,
      },
    );
    fc.assert(
      fc.property(settings, fc.string({ unit: 'binary', minLength: 3000, maxLength: 9000 }), (sent, long) => {
        const { before, after } = differenceOf({ ...sent, name: long }, { ...sent, list: [long, long, [long]] });
        for (const side of [before, after]) {
          expect(bytesOf(side)).toBeLessThanOrEqual(MAX_SIDE_BYTES);
          expect(JSON.stringify(side)).not.toMatch(/\\ud[89a-f]/);
        }
      }),
      { numRuns: 50 },
    );
  });
});
