import { lackText } from '../../../web/src/logic/mail-account';

it.each([
  ['email', {}, false, true],
  ['email', { smtp: { host: 'mail.example' } }, false, false],
  ['email', {}, true, false],
  ['slack', {}, false, false],
])('shows for %s with %j, on a server with an email account: %s, that one is missing: %s', (type, config, has, is) =>
  expect(lackText(type, config, has) !== null).toBe(is),
);
