import type { Contact } from '../../../web/src/api/types';
import { alertPlan, type AlertPlan, defaultContacts } from '../../../web/src/logic/new-alerts';

const contact = (id: string, isDefault: boolean): Contact => ({ id, default: isDefault }) as Contact;
const CONTACTS = [contact('ct_ops', true), contact('ct_boss', true), contact('ct_shop', false)];

describe('the alerts of a new endpoint', () => {
  it('use the default contacts at first', () => {
    expect(defaultContacts(CONTACTS)).toEqual(['ct_ops', 'ct_boss']);
  });

  it.each<[string, string[], AlertPlan]>([
    ['use the default contacts without a selection', ['ct_ops', 'ct_boss'], { query: '', after: [] }],
    ['add another contact to the default ones', ['ct_boss', 'ct_shop', 'ct_ops'], { query: '', after: ['ct_shop'] }],
    [
      'use no default automatically if a default contact is removed',
      ['ct_ops'],
      { query: '?alerts=none', after: ['ct_ops'] },
    ],
    ['use another contact instead of the default ones', ['ct_shop'], { query: '?alerts=none', after: ['ct_shop'] }],
    ['nobody', [], { query: '?alerts=none', after: [] }],
  ])('%s', (_, chosen, plan) => {
    expect(alertPlan(CONTACTS, chosen)).toEqual(plan);
  });

  it('are empty if there is no contact, and do not prevent saving', () => {
    expect(alertPlan([], [])).toEqual({ query: '', after: [] });
    expect(alertPlan([contact('ct_shop', false)], [])).toEqual({ query: '', after: [] });
  });
});
