import type { Alert, Contact } from '../../../web/src/api/types';
import {
  alertBody,
  type AlertDraft,
  alertDraftOf,
  contactTitle,
  firstContact,
  inOrder,
  newAlert,
  routeChange,
} from '../../../web/src/logic/alert-draft';

const RULE = {
  condition: 'down',
  failure_threshold: 3,
  success_threshold: 2,
  after: 0,
  remind_every: null,
  send_on_resolved: true,
} as const;

const alert = (more: object = {}): Alert =>
  ({
    id: 'al_1',
    endpoint_id: 'ep_1',
    contact_id: null,
    type: 'slack',
    config: { webhook_url: 'https://hooks.slack.com/***' },
    ...RULE,
    description: '',
    enabled: true,
    triggered: false,
    ...more,
  }) as Alert;

const contact = (name: string, more: object = {}): Contact =>
  ({ id: `ct_${name}`, name, type: 'slack', default: false, alert_defaults: {}, ...more }) as Contact;

/** Returns the part of a request that decides whom the alert notifies. */
function routeIn(draft: AlertDraft, stored: Alert | null): object {
  const { contact_id, type, config } = alertBody(draft, stored);
  return Object.fromEntries(Object.entries({ contact_id, type, config }).filter(([, value]) => value !== undefined));
}

describe('the request that saves an alert', () => {
  const OWN = { type: 'slack', config: { webhook_url: 'https://hooks.slack.com/***' } };
  const withContact = alert({ contact_id: 'ct_ops' });

  it.each<[string, Alert | null, Partial<AlertDraft>, object]>([
    ['creates an alert with its own settings', null, OWN, OWN],
    ['creates an alert through a contact', null, { contact_id: 'ct_ops' }, { contact_id: 'ct_ops' }],
    ["keeps the alert's own settings", alert(), {}, OWN],
    ['moves an alert with its own settings to a contact', alert(), { contact_id: 'ct_ops' }, { contact_id: 'ct_ops' }],
    ['moves an alert to another contact', withContact, { contact_id: 'ct_boss' }, { contact_id: 'ct_boss' }],
    [
      'detaches an alert unchanged: the service keeps what it does not show',
      withContact,
      { contact_id: null },
      { contact_id: null },
    ],
    [
      'detaches an alert with other settings',
      withContact,
      { contact_id: null, type: 'telegram', config: { chat_id: '-1' } },
      { contact_id: null, type: 'telegram', config: { chat_id: '-1' } },
    ],
    [
      'ignores a field that was emptied again',
      withContact,
      { contact_id: null, config: { webhook_url: 'https://hooks.slack.com/***', channel: '' } },
      { contact_id: null },
    ],
  ])('%s', (_, stored, changes, route) => {
    const draft = { ...(stored ? alertDraftOf(stored) : newAlert('ep_1', null)), ...changes };
    expect(routeIn(draft, stored)).toEqual(route);
  });

  it('has all other fields unchanged', () => {
    expect(alertBody(alertDraftOf(alert({ after: 600, remind_every: 5400, description: 'Runbook' })), alert())).toEqual(
      {
        endpoint_id: 'ep_1',
        ...OWN,
        ...RULE,
        after: 600,
        remind_every: 5400,
        description: 'Runbook',
        enabled: true,
      },
    );
  });
});

describe('a new alert', () => {
  it('starts with the requested contact, else a default one, else the first, else none', () => {
    const [ops, boss] = [contact('ops'), contact('boss', { default: true })];
    expect(firstContact([ops, boss], 'ct_ops')).toBe(ops);
    expect(firstContact([ops, boss], null)).toBe(boss);
    expect(firstContact([ops], 'ct_gone')).toBe(ops);
    expect(firstContact([], null)).toBeNull();
  });

  it('has the defaults of its contact', () => {
    const ops = contact('ops', { alert_defaults: { failure_threshold: 1, remind_every: 3600 } });
    expect(alertBody(newAlert('ep_1', ops), null)).toEqual({
      endpoint_id: 'ep_1',
      contact_id: 'ct_ops',
      ...RULE,
      failure_threshold: 1,
      remind_every: 3600,
      description: '',
      enabled: true,
    });
  });

  it('triggers after two failures without a contact, so that the first message comes after about a minute', () => {
    expect(newAlert('ep_1', null).failure_threshold).toBe('2');
  });

  it('offers the default contacts first, then by name', () => {
    const list = [contact('Shop'), contact('Boss'), contact('Ops', { default: true, type: 'pagerduty' })];
    expect(inOrder(list).map(contactTitle)).toEqual(['Ops · PagerDuty (default)', 'Boss · Slack', 'Shop · Slack']);
  });
});

describe("the warning about a change of an alert's contact", () => {
  const nameOf = (id: string) => ({ ct_ops: 'Operations', ct_boss: 'The boss' })[id] ?? 'the contact';
  const said = (stored: Alert | null, changes: Partial<AlertDraft>) =>
    routeChange({ ...(stored ? alertDraftOf(stored) : newAlert('ep_1', null)), ...changes }, stored, nameOf);

  it.each<[string, Alert | null, Partial<AlertDraft>]>([
    ['for a new alert', null, { contact_id: 'ct_ops' }],
    ['for the same contact', alert({ contact_id: 'ct_ops', triggered: true }), {}],
    ['for own settings before and after', alert(), { config: { webhook_url: 'https://other' } }],
  ])('is empty %s', (_, stored, changes) => {
    expect(said(stored, changes)).toBeNull();
  });

  it("names the new contact, and warns that the alert's own settings are removed", () => {
    expect(said(alert(), { contact_id: 'ct_ops' })).toBe(
      'When you save this, messages go through Operations. Its own settings are deleted.',
    );
    expect(said(alert({ contact_id: 'ct_ops' }), { contact_id: 'ct_boss' })).toBe(
      'When you save this, messages go through The boss.',
    );
  });

  it('explains what happens to an open incident', () => {
    const open = alert({ contact_id: 'ct_ops', triggered: true });
    expect(said(open, { contact_id: 'ct_boss' })).toContain('The open alert stays open if the account');
    expect(said(open, { contact_id: null, type: 'email', config: { to: ['a@example.com'] } })).toContain(
      'triggers again at the next failed check',
    );
  });

  it('explains that detaching keeps the settings, and an open incident', () => {
    expect(said(alert({ contact_id: 'ct_ops', triggered: true }), { contact_id: null })).toBe(
      'It keeps a copy of the settings of Operations. Later changes to Operations no longer affect it. The open alert stays open.',
    );
  });
});
