import type { Contact } from '../../../web/src/api/types';
import {
  consequenceOf,
  type ContactDraft,
  contactDraftOf,
  contactRequestOf,
  isEdited,
  madeText,
  existingText,
  isUnguarding,
} from '../../../web/src/logic/contact-draft';

const STORED: Contact = {
  id: 'ct_1',
  name: 'Operations',
  type: 'slack',
  config: { webhook_url: 'https://hooks.slack.com/***' },
  default: false,
  alert_defaults: { failure_threshold: 2 },
  key: null,
  owner: null,
  destination: 'hooks.slack.com',
  cannot_send: null,
  alert_count: 2,
  last_delivery: null,
  failing_since: null,
  failing: false,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
};

const edited = (changes: Partial<ContactDraft>): ContactDraft => ({ ...contactDraftOf(STORED), ...changes });
const rule = contactDraftOf(STORED).rule;

describe('a contact while it is edited', () => {
  it('is sent as it is stored while it is not edited, including its sparse defaults', () => {
    const { name, type, config, default: isDefault, alert_defaults } = STORED;
    expect(contactRequestOf(edited({}), STORED)).toEqual({ name, type, config, default: isDefault, alert_defaults });
    expect(isEdited(edited({}), STORED)).toBe(false);
  });

  it.each<[string, Partial<ContactDraft>]>([
    ['another name', { name: 'Night shift' }],
    ['another config', { config: { webhook_url: 'https://hooks.slack.com/services/T1' } }],
    ['the default switch', { default: true }],
    ['a threshold', { rule: { ...rule, failure_threshold: '4' } }],
    ['reminders', { rule: { ...rule, remind_every: { amount: '2', unit: 'hours' } } }],
  ])('is edited by %s', (_, changes) => expect(isEdited(edited(changes), STORED)).toBe(true));

  it.each<[string, Partial<ContactDraft>]>([
    ['a field that was filled in and emptied again', { config: { ...STORED.config, channel: '' } }],
    ['a value that its draft already has', { rule: { ...rule } }],
  ])('is not edited by %s', (_, changes) => expect(isEdited(edited(changes), STORED)).toBe(false));

  it('sends all its defaults once one of them is changed, in the units of the API', () => {
    const draft = edited({ rule: { ...rule, after: { amount: '10', unit: 'minutes' } } });
    expect(contactRequestOf(draft, STORED).alert_defaults).toEqual({
      condition: 'down',
      failure_threshold: 2,
      success_threshold: 2,
      after: 600,
      remind_every: null,
      send_on_resolved: true,
    });
  });

  it('starts empty, not as a default, with the usual rule', () => {
    const draft = contactDraftOf(null);
    expect([draft.name, draft.config, draft.default]).toEqual(['', {}, false]);
    expect(contactRequestOf(draft, null).alert_defaults).toMatchObject({ failure_threshold: 2, success_threshold: 2 });
  });
});

describe('the warning before a contact is saved', () => {
  const elsewhere = { config: { webhook_url: 'https://hooks.slack.com/services/T1' } };

  it.each<[string, Partial<ContactDraft>, Contact | null, RegExp | null]>([
    ['nothing for a new contact', elsewhere, null, null],
    ['nothing if no alert uses it', elsewhere, { ...STORED, alert_count: 0 }, null],
    ['nothing for another name', { name: 'Night shift' }, STORED, null],
    [
      'incidents that start again, for another config',
      elsewhere,
      STORED,
      /^2 alert rules use it.*destination.*trigger again.*token/,
    ],
    ['the same for one alert', elsewhere, { ...STORED, alert_count: 1 }, /^1 alert rule uses it/],
    [
      'incidents that start again, for another channel',
      { type: 'email', config: {} },
      STORED,
      /another channel.*trigger again/,
    ],
  ])('shows %s', (_, changes, stored, text) => {
    const found = consequenceOf(edited(changes), stored);
    if (text === null) expect(found).toBeNull();
    else expect(found).toMatch(text);
  });
});

it.each([
  [{ created: 0, existing: 0 }, 'No endpoint matches.'],
  [{ created: 1, existing: 0 }, '1 alert rule created.'],
  [{ created: 12, existing: 1 }, '12 alert rules created. 1 endpoint had one already.'],
  [{ created: 0, existing: 3 }, '0 alert rules created. 3 endpoints had one already.'],
])('of %p: %s', (result, text) => expect(madeText(result)).toBe(text));

describe('a default contact and the endpoints that exist', () => {
  it.each([
    [true, 0, true],
    [true, 1, false],
    [false, 0, false],
  ])('as default %s, used by %d alerts: shows that they have no alert through it: %s', (isDefault, alert_count, is) =>
    expect(isUnguarding({ default: isDefault, alert_count })).toBe(is),
  );

  it.each([
    [1, 'Your existing endpoint does not have one.'],
    [1200, 'Your 1,200 existing endpoints do not have one.'],
  ])('%d: %s', (endpoints, text) => expect(existingText(endpoints)).toBe(text));
});
