import { differenceOf } from './audited-change';

describe('differenceOf', () => {
  const website = { id: 'ws_1', name: 'Shop', url: 'https://shop.example/', enabled: true, endpoint_count: 3 };
  const settings = { name: 'Shop', url: 'https://shop.example/', enabled: true };

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

  it('is empty for an update that changed nothing but the order of keys inside a setting', () => {
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

  it('cuts long texts at any depth, and still notices a difference behind the cut', () => {
    const long = 'x'.repeat(600);
    const { changed, before, after } = differenceOf({ list: [{ body: `${long}a` }] }, { list: [{ body: `${long}b` }] });
    expect(changed).toEqual(['list']);
    expect(before).toEqual({ list: [{ body: `${'x'.repeat(500)}… (601 characters)` }] });
    expect(after).toEqual(before);
  });
});
