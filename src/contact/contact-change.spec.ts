import type { AlertDefaults } from '../alert-rule/alert-rule';
import { changedContact, newContact, type ResolvedRoute } from './contact-change';
import type { UpdateContactDto } from './contact.dto';

const CREATED = new Date('2026-11-20T09:00:00.000Z');
const NOW = new Date('2026-11-20T10:00:00.000Z');
const ROUTE: ResolvedRoute = { type: 'slack', config: { sealed: 'a' }, destination: 'x', isChanged: true };
const SAME: ResolvedRoute = { ...ROUTE, isChanged: false };

/** Returns an object as validation creates it: an instance whose missing fields are undefined. */
const sentDefaults = (fields: AlertDefaults): AlertDefaults =>
  Object.assign(Object.create({ constructor: class {} }) as object, { condition: undefined, ...fields });

const contact = newContact(
  'org',
  'id',
  { name: ' Operations ', type: 'slack', config: {}, alert_defaults: sentDefaults({ after: 60 }) },
  ROUTE,
  CREATED,
);

describe('a new contact', () => {
  it('has a trimmed name, and only the defaults that were sent', () => {
    expect(contact).toMatchObject({ name: 'Operations', isDefault: false, createdAt: CREATED, updatedAt: CREATED });
    expect(contact.defaults).toStrictEqual({ after: 60 });
  });
});

describe('a contact that a client changes', () => {
  const unchanged: [string, UpdateContactDto][] = [
    ['nothing was sent', {}],
    ['its own name was sent', { name: 'Operations ' }],
    ['its own defaults were sent', { alert_defaults: sentDefaults({ after: 60 }) }],
    ['it was sent as it is', { name: 'Operations', default: false, alert_defaults: { after: 60 } }],
  ];
  it.each(unchanged)('stays as it is when %s', (_, sent) => {
    expect(changedContact(contact, sent, SAME, NOW)).toBeNull();
  });

  const changed: [string, UpdateContactDto, object][] = [
    ['its name', { name: ' Night' }, { name: 'Night' }],
    ['whether it is a default one', { default: true }, { isDefault: true }],
    ['a default that is null', { alert_defaults: { remind_every: null } }, { defaults: { remind_every: null } }],
    ['its defaults, all gone', { alert_defaults: {} }, { defaults: {} }],
  ];
  it.each(changed)('changes only in %s and in its update time', (_, sent, fields) => {
    expect(changedContact(contact, sent, SAME, NOW)).toEqual({ ...contact, ...fields, updatedAt: NOW });
  });

  it('gets the new config with its type and destination', () => {
    const route = { type: 'email', config: { sealed: 'b' }, destination: null, isChanged: true };
    const { isChanged: _, ...stored } = route;
    expect(changedContact(contact, {}, route, NOW)).toEqual({ ...contact, ...stored, updatedAt: NOW });
  });

  it('keeps its destination while its config is unchanged, because its alerts repeat it', () => {
    const after = changedContact(contact, { name: 'Night' }, { ...SAME, destination: 'y' }, NOW);
    expect(after?.destination).toBe('x');
  });
});
