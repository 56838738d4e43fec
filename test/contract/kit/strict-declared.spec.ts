import { DECLARED_FAKES } from '../../../packages/testing/providers/declared';
import {
  type BrokenRequest,
  describeStrictness,
  withBody,
  withFields,
  withForm,
  withHeaders,
  withPath,
} from './strictness';

const letters = (count: number): string => 'x'.repeat(count);

/** A change that breaks a rule, with the status of the refusal and a part of the message of `verify`. */
type Change = [what: string, change: BrokenRequest['change'], status: number, sentence: string];

const describeFake = (type: string, success: number, changes: readonly Change[]): void =>
  describeStrictness(
    type,
    () => DECLARED_FAKES[type]?.open() ?? Promise.reject(new Error(type)),
    success,
    [...changes, ['another path', withPath('/elsewhere'), 404, 'to a path that exists'] as const].map(
      ([what, change, status, sentence]) => ({ what, change, status, body: {}, sentence }),
    ),
  );

const wrongToken: Change = ['a wrong token', withHeaders({ authorization: 'Bearer x' }), 401, 'must be the credential'];

describeFake('ntfy', 200, [
  wrongToken,
  ['a message of more than 4,096 bytes', withFields({ message: 'é'.repeat(2049) }), 400, 'at most 4096 bytes'],
  ['a priority that does not exist', withFields({ priority: 6 }), 400, 'an integer from 1 to 5'],
  ['no topic', withFields({ topic: undefined }), 400, '"topic" is required'],
]);

describeFake('gotify', 200, [
  ['a wrong token', withHeaders({ 'x-gotify-key': 'x' }), 401, 'must be the credential'],
  ['no message', withFields({ message: '' }), 400, '"message" is required'],
  ['extras without a namespace', withFields({ extras: { click: 1 } }), 400, 'a key such as client::display'],
]);

describeFake('pushover', 200, [
  ['a message of more than 1,024 characters', withForm({ message: letters(1025) }), 400, '1 to 1024 characters'],
  ['another user', withForm({ user: 'x' }), 400, 'the key of a user'],
  ['an emergency without retry', withForm({ priority: '2' }), 400, '"retry" must be'],
]);

describeFake('pushbullet', 200, [
  ['a wrong token', withHeaders({ 'access-token': 'x' }), 401, 'must be the credential'],
  ['a type that does not exist', withFields({ type: 'text' }), 400, 'one of "note", "link"'],
]);

describeFake('bark', 200, [
  ['another device', withFields({ device_key: 'x' }), 400, 'the key of a device'],
  ['more than 4 KB', withFields({ body: letters(4100) }), 400, 'at most 4096 bytes'],
]);

describeFake('mattermost', 200, [
  ['a post without text', withBody(() => ({})), 400, 'a post with text or attachments'],
  ['a text that is too long', withFields({ text: letters(16_384) }), 400, '16383 characters'],
]);

describeFake('google_chat', 200, [
  ['a field that does not exist', withFields({ attachments: [] }), 400, 'with the keys text, cardsV2'],
  ['a text that is too long', withFields({ text: letters(4097) }), 400, '4096 characters'],
  ['a wrong token', withPath('/v1/spaces/AAAA/messages?key=x&token=y'), 401, 'with the key and the token'],
]);

describeFake('rocketchat', 200, [
  ['no text', withFields({ text: '' }), 400, '"text" is required'],
  ['a channel without # or @', withFields({ channel: 'operations' }), 400, '#channel or @user'],
]);

describeFake('matrix', 200, [
  wrongToken,
  ['a POST', (request) => ({ ...request, method: 'POST' }), 405, 'a PUT'],
  ['no body', withFields({ body: '' }), 400, '"body" is required'],
]);

describeFake('zulip', 200, [
  ['a wrong key', withHeaders({ authorization: 'Basic x' }), 401, 'must be the credential'],
  ['a topic of more than 60 characters', withForm({ topic: letters(61) }), 400, '1 to 60 characters'],
  ['a message of more than 10,000 characters', withForm({ content: letters(10_001) }), 400, '10000 characters'],
]);

describeFake('signal', 201, [
  ['no recipients', withFields({ recipients: [] }), 400, 'a list of recipients'],
  ['a number that is not registered', withFields({ number: '+1' }), 400, 'a registered number'],
]);

describeFake('feishu', 200, [
  ['a wrong signature', withFields({ sign: 'x' }), 400, 'the signature of the timestamp'],
  ['a card without a header', withFields({ card: { elements: [] } }), 400, '"card.header" is required'],
]);

describeFake('dingtalk', 200, [
  ['no signature', withPath('/robot/send?access_token=canaryDingTalkToken0123456789'), 400, 'the signature of'],
  ['a type that does not exist', withFields({ msgtype: 'html' }), 400, 'one of "text"'],
]);

describeFake('wecom', 200, [
  ['more than 2,048 bytes', withFields({ text: { content: 'é'.repeat(1025) } }), 400, 'at most 2048 bytes'],
]);

describeFake('line', 200, [
  wrongToken,
  ['a retry key that is not a UUID', withHeaders({ 'x-line-retry-key': 'x' }), 400, 'a UUID'],
  ['no messages', withFields({ messages: [] }), 400, '1 to 5 messages'],
]);

describeFake('apprise', 200, [
  ['a type that does not exist', withFields({ type: 'down' }), 400, 'one of "info"'],
  ['no body', withFields({ body: '' }), 400, '"body" is required'],
]);

describeFake('home_assistant', 200, [
  wrongToken,
  ['no message', withFields({ message: '' }), 400, '"message" is required'],
]);

describeFake('alertmanager', 200, [
  ['a wrong password', withHeaders({ authorization: 'Basic x' }), 401, 'must be the credential'],
  ['an object', (request) => ({ ...request, body: '{}' }), 400, 'a JSON list'],
  [
    'an alert that ends before it starts',
    withBody<object[]>(([alert]) => [{ ...alert, endsAt: '2020-01-01T00:00:00Z' }]),
    400,
    'not before startsAt',
  ],
  ['an alert without labels', withBody<object[]>(([alert]) => [{ ...alert, labels: {} }]), 400, 'at least one label'],
]);

describeFake('splunk_oncall', 200, [
  ['a type that does not exist', withFields({ message_type: 'DOWN' }), 400, 'one of "CRITICAL"'],
  ['a message of more than 20,480 characters', withFields({ state_message: letters(20_481) }), 400, '20480 characters'],
]);

describeFake('ilert', 202, [
  ['another key', withFields({ integrationKey: 'x' }), 400, 'the key of an alert source'],
  ['a type that does not exist', withFields({ eventType: 'DOWN' }), 400, 'one of "ALERT"'],
]);
