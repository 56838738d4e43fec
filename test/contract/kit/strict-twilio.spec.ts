import { fakeTwilio, TWILIO_SERVICE } from '../../../packages/testing/providers/twilio';
import { describeStrictness, withForm, withHeaders, withPath } from './strictness';

const letters = (count: number): string => 'x'.repeat(count);

const error = (code: number, status = 400) => ({ code, status, more_info: expect.stringContaining(String(code)) });

describeStrictness('twilio', fakeTwilio, 201, [
  {
    what: 'a wrong token',
    change: withHeaders({ authorization: `Basic ${Buffer.from('AC0123456789abcdef:wrong').toString('base64')}` }),
    status: 401,
    body: { ...error(20_003, 401), message: 'Authenticate' },
    sentence: 'Twilio: "authorization" must be Basic with the account or API key and its token, not "Basic ',
  },
  {
    what: 'the path of another account',
    change: withPath('/2010-04-01/Accounts/AC1/Messages.json'),
    status: 404,
    body: error(20_404, 404),
    sentence: "Twilio: the request must be to the account's messages, not",
  },
  {
    what: 'a JSON body',
    change: withHeaders({ 'content-type': 'application/json' }),
    status: 400,
    body: error(21_604),
    sentence: 'Twilio: the request must be a form, not "application/json"',
  },
  {
    what: 'a message to nobody',
    change: withForm({ To: undefined }),
    status: 400,
    body: { ...error(21_604), message: "A 'To' phone number is required." },
    sentence: 'Twilio: "To" is required',
  },
  {
    what: 'a number that is not E.164',
    change: withForm({ To: '0500 555 0009' }),
    status: 400,
    body: error(21_211),
    sentence: 'Twilio: "To" must be an E.164 number, not "0500 555 0009"',
  },
  {
    what: 'a message without a sender',
    change: withForm({ From: undefined }),
    status: 400,
    body: error(21_603),
    sentence: 'Twilio: "From" is required',
  },
  {
    what: 'a sender beside a messaging service',
    change: withForm({ MessagingServiceSid: TWILIO_SERVICE }),
    status: 400,
    body: error(21_606),
    sentence: 'Twilio: "From" must be absent if MessagingServiceSid is set, not "+15005550006"',
  },
  {
    what: 'a sender of another account',
    change: withForm({ From: '+15005550001' }),
    status: 400,
    body: error(21_212),
    sentence: 'Twilio: "From" must be one of the account\'s senders, not "+15005550001"',
  },
  {
    what: 'an unknown messaging service',
    change: withForm({ From: undefined, MessagingServiceSid: 'MG1' }),
    status: 400,
    body: error(21_701),
    sentence: 'Twilio: "MessagingServiceSid" must be a service of the account, not "MG1"',
  },
  {
    what: 'a message without a text',
    change: withForm({ Body: undefined }),
    status: 400,
    body: error(21_602),
    sentence: 'Twilio: "Body" is required',
  },
  {
    what: 'a text of more than 1600 characters',
    change: withForm({ Body: letters(1601) }),
    status: 400,
    body: error(21_617),
    sentence: 'Twilio: "Body" must be 1 to 1600 characters, not 1601',
  },
  {
    what: 'a validity of more than 10 hours',
    change: withForm({ ValidityPeriod: '36001' }),
    status: 400,
    body: error(90_007),
    sentence: 'Twilio: "ValidityPeriod" must be an integer from 1 to 36000, not 36001',
  },
  {
    what: 'a validity in words',
    change: withForm({ ValidityPeriod: '5m' }),
    status: 400,
    body: error(90_007),
    sentence: '"ValidityPeriod" must be an integer from 1 to 36000, not "5m"',
  },
]);
