import { newUuid } from '../../platform/ids/id';
import { routeChangeOf, type SentRoute } from './route-change';

const [ONE, OTHER] = [newUuid(), newUuid()];
const NOTHING: SentRoute = { contactId: undefined, hasType: false, hasConfig: false, isAsShown: true };
const SHOWN = { hasType: true, hasConfig: true, isAsShown: true };
const EDITED = { hasType: true, hasConfig: true, isAsShown: false };
const ONLY_CONFIG = { hasType: false, hasConfig: true, isAsShown: false };
const ONLY_TYPE = { hasType: true, hasConfig: false, isAsShown: false };

describe('how a change affects the destination of an alert', () => {
  it.each<[string, Partial<SentRoute>, string]>([
    ['nothing', {}, 'same'],
    ['no contact', { contactId: null }, 'same'],
    ['any type and config', EDITED, 'own'],
    ['type and config as shown', SHOWN, 'own'],
    ['a config alone', ONLY_CONFIG, 'own'],
    ['another type alone, which is judged with the config', ONLY_TYPE, 'own'],
    ['no contact with type and config', { ...EDITED, contactId: null }, 'own'],
    ['a contact', { contactId: ONE }, 'contact'],
    ['a contact in addition to the shown fields', { ...SHOWN, contactId: ONE }, 'contact'],
    ['a contact with an edited config', { ...EDITED, contactId: ONE }, 'refused'],
    ['a contact with a config', { ...ONLY_CONFIG, contactId: ONE }, 'refused'],
    ['a contact with another type', { ...ONLY_TYPE, contactId: ONE }, 'refused'],
  ])('an alert with its own config, sent %s', (_, sent, kind) => {
    expect(routeChangeOf({ ...NOTHING, ...sent }, null).kind).toBe(kind);
  });

  it.each<[string, Partial<SentRoute>, string]>([
    ['nothing', {}, 'same'],
    ['what is shown', { ...SHOWN, contactId: ONE }, 'same'],
    ['type and config as shown', SHOWN, 'same'],
    ['its contact', { contactId: ONE }, 'same'],
    ['its contact with an edited config', { ...EDITED, contactId: ONE }, 'refused'],
    ['its contact with a config', { ...ONLY_CONFIG, contactId: ONE }, 'refused'],
    ['a config alone', ONLY_CONFIG, 'refused'],
    ['another type alone', ONLY_TYPE, 'refused'],
    ['type and config', EDITED, 'own'],
    ['no contact', { contactId: null }, 'detached'],
    ['no contact in addition to the shown fields', { ...SHOWN, contactId: null }, 'detached'],
    ['no contact with type and config', { ...EDITED, contactId: null }, 'own'],
    ['no contact with a config', { ...ONLY_CONFIG, contactId: null }, 'own'],
    ['another contact', { contactId: OTHER }, 'contact'],
    ['another contact in addition to the shown fields', { ...SHOWN, contactId: OTHER }, 'contact'],
    ['another contact with an edited config', { ...EDITED, contactId: OTHER }, 'refused'],
  ])('an alert with a contact, sent %s', (_, sent, kind) => {
    expect(routeChangeOf({ ...NOTHING, ...sent }, ONE).kind).toBe(kind);
  });

  it('a refusal points at the field that was sent, and names the request that changes the contact', () => {
    expect(routeChangeOf({ ...NOTHING, ...ONLY_CONFIG }, ONE)).toMatchObject({
      problem: {
        pointer: '/config',
        code: 'read_only',
        message: expect.stringMatching(/PUT \/contacts\/ct_[0-9a-z]{26}/),
      },
    });
    expect(routeChangeOf({ ...NOTHING, ...ONLY_TYPE }, ONE)).toMatchObject({ problem: { pointer: '/type' } });
  });
});
