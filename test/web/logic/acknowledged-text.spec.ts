import { acknowledgedText } from '../../../web/src/logic/acknowledged-text';
import { kindText } from '../../../web/src/logic/delivery-text';

const AT = '2026-11-20T10:00:00.000Z';
const said = (by: string | null, note = '') => acknowledgedText({ by, at: AT, note, until: null }, Date.parse(AT));

describe('the texts about acknowledgements and notifications', () => {
  it.each([
    [said('On call'), 'Acknowledged by On call until it is up'],
    [said('On call', 'Restarting'), 'Acknowledged by On call until it is up: Restarting'],
    [said(null), 'Acknowledged by someone until it is up'],
    [said('Ada (link)'), 'Acknowledged by Ada until it is up, using the link in a message'],
    [said('link', 'Restarting'), 'Acknowledged by someone until it is up, using the link in a message: Restarting'],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected);
  });

  it.each([
    [kindText({ kind: 'triggered', ordinal: null }), 'Triggered'],
    [kindText({ kind: 'reminder', ordinal: 3 }), 'Reminder 3'],
    [kindText({ kind: 'reminder', ordinal: null }), 'Reminder'],
    [kindText({ kind: 'acknowledged', ordinal: null }), 'Acknowledged'],
  ])('a message is named %s', (text, expected) => {
    expect(text).toBe(expected);
  });
});
