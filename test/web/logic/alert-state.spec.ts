import { alertState, isLost } from '../../../web/src/logic/alert-state';

const AT = '2026-11-25T10:00:00.000Z';
const alert = {
  enabled: true,
  triggered: false,
  contact_id: 'ct_1',
  last_delivery: { id: 'dl_1', state: 'delivered' as const, at: AT, error: null },
  cannot_send: null,
};
const failing = [{ id: 'ct_1', failing_since: AT }];
const fine = [{ id: 'ct_1', failing_since: null }];

describe('the state of an alert rule', () => {
  it.each<[string, Partial<typeof alert> | object, Parameters<typeof alertState>[1], string]>([
    ['watches', {}, fine, 'Watching'],
    ['is watching while its contacts are not known', {}, undefined, 'Watching'],
    ['is not delivering if its contact fails, although its own last message arrived', {}, failing, 'Not delivering'],
    ['is watching if another contact fails', { contact_id: 'ct_2' }, failing, 'Watching'],
    [
      'is not delivering if its last message was given up',
      { last_delivery: { id: 'dl_1', state: 'failed', at: AT, error: 'x' } },
      fine,
      'Not delivering',
    ],
    ['cannot send without a mail server', { cannot_send: 'No mail server is configured.' }, fine, 'Cannot send'],
    ['is triggered, whether or not a message was sent', { triggered: true }, failing, 'Triggered'],
    ['is off', { enabled: false, triggered: true }, failing, 'Off'],
  ])('%s', (_, changes, contacts, word) => {
    expect(alertState({ ...alert, ...changes }, contacts).word).toBe(word);
  });
});

it.each([
  ['delivered', null, false],
  ['pending', null, false],
  ['pending', 'refused', true],
  ['failed', 'refused', true],
  ['superseded', null, true],
] as const)('counts a message that is %s (error: %s) as not delivered: %s', (state, error, is) => {
  expect(isLost({ state, error })).toBe(is);
});
