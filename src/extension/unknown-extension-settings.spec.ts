import 'reflect-metadata';
import { Env } from '../platform/config/env';
import type { Extension } from './extension';
import { allUnknownSettings } from './unknown-extension-settings';

class BillingSettings {
  @Env('BILLING_CURRENCY') currency = 'EUR';
  @Env('BILLING_HOST') host = '';
}
class RelaySettings {
  @Env('SMTP_RELAY_URL') url = '';
}
const billing: Extension = { name: 'billing', settings: BillingSettings };
const relay: Extension = { name: 'smtp-relay', settings: RelaySettings };

describe('variables that look like misspelled settings', () => {
  it.each<[string, string, string[]]>([
    ['a setting of an extension', 'BILLING_CURRENCY', []],
    ['one that starts like settings of the service', 'SMTP_RELAY_URL', []],
    ["another program's that starts like settings of an extension", 'BILLING_PORT', []],
    [
      'a misspelled setting of an extension',
      'BILLING_CURENCY',
      ['BILLING_CURENCY is not a setting of extension "billing" and has no effect: did you mean BILLING_CURRENCY?'],
    ],
    ['a misspelled setting of the service', 'PROT', ['PROT is not a setting and has no effect: did you mean PORT?']],
  ])('%s: %s', (_what, name, sentences) => {
    expect(allUnknownSettings({ [name]: 'x' }, [billing, relay, { name: 'plain' }])).toEqual(sentences);
  });

  it('include the settings of an extension that is not loaded', () => {
    expect(allUnknownSettings({ SMTP_RELAY_URL: 'x' }, [])).toEqual([
      expect.stringContaining('SMTP_RELAY_URL is not a'),
    ]);
  });
});
