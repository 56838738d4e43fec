import 'reflect-metadata';
import { Env } from '../platform/config/env';
import { ID_PREFIXES } from '../platform/ids/id';
import { compose, shortPrefixes } from './composition';
import type { Extension } from './extension';

class Invoices1800000000000 {
  async up(): Promise<void> {}
  async down(): Promise<void> {}
}
class Prices1700000000000 {
  async up(): Promise<void> {}
  async down(): Promise<void> {}
}
class Nameless {
  async up(): Promise<void> {}
  async down(): Promise<void> {}
}
class BillingSettings {
  @Env('BILLING_CURRENCY') currency = 'EUR';
}
class TakenSettings {
  @Env('PORT') port = 1;
}
class NoSettings {
  currency = 'EUR';
}
class CommonSettings {
  @Env('CURRENCY') currency = 'EUR';
}

const billing: Extension = { name: 'billing', ids: { invoice: 'invc' }, audited: ['invoice'] };

const refusalOf = (...extensions: readonly Extension[]): string => {
  try {
    compose(extensions);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'nothing was refused';
};

describe('combining extensions', () => {
  it('leaves prefixes of four and more letters to extensions, and warns of shorter ones', () => {
    expect(Object.values(ID_PREFIXES).filter((prefix) => prefix.length > 3)).toEqual([]);
    const older: Extension = { name: 'older', ids: { order: 'ord', invoice: 'invc' } };
    expect(compose([older]).ids).toEqual({ order: 'ord', invoice: 'invc' });
    expect(shortPrefixes([billing, older])).toEqual([expect.stringContaining('the id prefix "ord" of "order"')]);
  });

  it('collects everything from all extensions, with migrations in chronological order', () => {
    const migrations = [Invoices1800000000000, Prices1700000000000];
    const composed = compose([{ ...billing, migrations, settings: BillingSettings }, { name: 'other' }]);
    expect(composed.ids).toEqual({ invoice: 'invc' });
    expect(composed.audited).toEqual(['invoice']);
    expect(composed.settings).toEqual([BillingSettings]);
    expect(composed.migrations.map(({ extension, name }) => [extension, name])).toEqual([
      ['billing', 'Prices1700000000000'],
      ['billing', 'Invoices1800000000000'],
    ]);
  });

  it.each<[string, readonly Extension[], string]>([
    ['a name that is none', [{ name: 'Billing!' }], 'a name must consist of lower-case letters'],
    ['two of one name', [{ name: 'billing' }, { name: 'billing' }], 'there are two extensions with this name'],
    [
      "a kind of id of the service's",
      [{ name: 'a', ids: { website: 'web' } }],
      '"website" already belongs to the service',
    ],
    ["a prefix of the service's", [{ name: 'a', ids: { invoice: 'ws' } }], 'already belongs to "website"'],
    ['the prefix of API keys', [{ name: 'a', ids: { invoice: 'ums' } }], 'already belongs to API keys'],
    ['a prefix that is none', [{ name: 'a', ids: { invoice: 'I1' } }], 'four to eight lower-case letters'],
    [
      'a prefix of two extensions',
      [billing, { name: 'stock', ids: { inventory: 'invc' } }],
      'already belongs to "invoice" of extension "billing"',
    ],
    [
      'a kind of two extensions',
      [billing, { name: 'b', ids: { invoice: 'iv' } }],
      'already belongs to extension "billing"',
    ],
    ['an audited resource without ids', [{ name: 'a', audited: ['invoice'] }], 'has no prefix in "ids"'],
    [
      "an audited resource of the service's",
      [{ name: 'a', ids: { session: 'se' }, audited: ['session'] }],
      'the audited resource "session" already belongs to the service',
    ],
    ['a migration without a time', [{ name: 'a', migrations: [Nameless] }], 'must end in its time'],
    [
      'two migrations of one name',
      [{ name: 'a', migrations: [Prices1700000000000, Prices1700000000000] }],
      'there are two migrations Prices1700000000000',
    ],
    [
      "a setting of the service's",
      [{ name: 'a', settings: TakenSettings }],
      'the setting PORT already belongs to the service',
    ],
    [
      'settings without a variable',
      [{ name: 'a', settings: NoSettings }],
      "no field of NoSettings is a setting: declare one with @Env('A_",
    ],
    ['a setting that anybody may have', [{ name: 'a', settings: CommonSettings }], 'must start with A_'],
  ])('refuses %s with an explanation', (_what, extensions, words) => {
    expect(refusalOf(...extensions)).toContain(words);
  });

  it('reports all conflicts at once', () => {
    const text = refusalOf({ name: 'a', ids: { website: 'ws' }, audited: ['nothing'] }, { name: 'B' });
    expect(text.split('\n')).toHaveLength(4);
  });
});
