import { fakeDiscord } from '../../../packages/testing/providers/discord';
import { describeStrictness, withBody, withFields, withPath } from './strictness';

const letters = (count: number): string => 'x'.repeat(count);

const WEBHOOK = '/api/webhooks/110000000000000001/canary-discord-token';
const embed = (fields: object) => withBody<{ embeds: object[] }>((body) => ({ ...body, embeds: [fields] }));
const inForm = (path: string, message: string) => {
  const keys = path.split('.');
  const errors = keys.reduceRight<object>((inner, key) => ({ [key]: inner }), {
    _errors: [{ message }],
  });
  return { code: 50_035, message: 'Invalid Form Body', errors };
};

describeStrictness('discord', fakeDiscord, 200, [
  {
    what: 'a wrong token',
    change: withPath('/api/webhooks/110000000000000001/another?wait=true'),
    status: 401,
    body: { code: 50_027, message: 'Invalid Webhook Token' },
    sentence: 'Discord: the request must be to the webhook\'s own path, not "/api/webhooks/110000000000000001/another"',
  },
  {
    what: 'an unknown webhook',
    change: withPath('/api/webhooks/220000000000000002/canary-discord-token'),
    status: 404,
    body: { code: 10_015, message: 'Unknown Webhook' },
    sentence: 'not "/api/webhooks/220000000000000002/canary-discord-token"',
  },
  {
    what: 'a PUT',
    change: (request) => ({ ...request, method: 'PUT' }),
    status: 405,
    body: { code: 0, message: '405: Method Not Allowed' },
    sentence: 'Discord: the request must be a POST, not "PUT"',
  },
  {
    what: 'a body that is not JSON',
    change: (request) => ({ ...request, body: '{' }),
    status: 400,
    body: { code: 50_109 },
    sentence: 'Discord: the request must be a JSON object, not "{"',
  },
  {
    what: 'a thread that is no snowflake',
    change: withPath(`${WEBHOOK}?wait=true&thread_id=general`),
    status: 400,
    body: { code: 50_035 },
    sentence: 'Discord: "thread_id" must be a snowflake, which is 15 to 20 digits, not "general"',
  },
  {
    what: 'a message without content and embeds',
    change: withFields({ embeds: [] }),
    status: 400,
    body: { code: 50_006, message: 'Cannot send an empty message' },
    sentence: 'Discord: the request must be a message with content or embeds',
  },
  {
    what: 'a content of more than 2000 characters',
    change: withFields({ content: letters(2001) }),
    status: 400,
    body: inForm('content', 'Must be 2000 or fewer in length.'),
    sentence: 'Discord: "content" must be 0 to 2000 characters, not 2001',
  },
  {
    what: 'more than 10 embeds',
    change: withFields({ embeds: Array.from({ length: 11 }, () => ({ title: 'a' })) }),
    status: 400,
    body: inForm('embeds', 'Must be 10 or fewer in length.'),
    sentence: '"embeds" must be at most 10 elements, not 11',
  },
  {
    what: 'a title of more than 256 characters',
    change: embed({ title: letters(257) }),
    status: 400,
    body: inForm('embeds.0.title', 'Must be 256 or fewer in length.'),
    sentence: '"embeds[0].title" must be 1 to 256 characters, not 257',
  },
  {
    what: 'a description of more than 4096 characters',
    change: embed({ description: letters(4097) }),
    status: 400,
    body: inForm('embeds.0.description', 'Must be 4096 or fewer in length.'),
    sentence: '"embeds[0].description" must be 1 to 4096 characters, not 4097',
  },
  {
    what: 'more than 25 fields',
    change: embed({ fields: Array.from({ length: 26 }, () => ({ name: 'a', value: 'b' })) }),
    status: 400,
    body: inForm('embeds.0.fields', 'Must be 25 or fewer in length.'),
    sentence: '"embeds[0].fields" must be at most 25 elements, not 26',
  },
  {
    what: 'a field without a value',
    change: embed({ fields: [{ name: 'a', value: '' }] }),
    status: 400,
    body: inForm('embeds.0.fields.0.value', 'This field is required'),
    sentence: '"embeds[0].fields[0].value" is required',
  },
  {
    what: 'a field value of more than 1024 characters',
    change: embed({ fields: [{ name: 'a', value: letters(1025) }] }),
    status: 400,
    body: inForm('embeds.0.fields.0.value', 'Must be 1024 or fewer in length.'),
    sentence: '"embeds[0].fields[0].value" must be 1 to 1024 characters, not 1025',
  },
  {
    what: 'a footer of more than 2048 characters',
    change: embed({ footer: { text: letters(2049) } }),
    status: 400,
    body: inForm('embeds.0.footer.text', 'Must be 2048 or fewer in length.'),
    sentence: '"embeds[0].footer.text" must be 1 to 2048 characters, not 2049',
  },
  {
    what: 'more than 6000 characters in all embeds together',
    change: withFields({ embeds: [{ description: letters(4000) }, { description: letters(2001) }] }),
    status: 400,
    body: inForm('embeds', 'Embed size exceeds maximum size of 6000'),
    sentence: '"embeds" must be at most 6000 characters in all, not 6001',
  },
  {
    what: 'a colour that is no integer of 24 bits',
    change: embed({ title: 'a', color: '#d92d20' }),
    status: 400,
    body: { code: 50_035 },
    sentence: '"embeds[0].color" must be an integer from 0 to 16777215, not "#d92d20"',
  },
  {
    what: 'a time of another form',
    change: embed({ title: 'a', timestamp: '20 Nov 2026' }),
    status: 400,
    body: { code: 50_035 },
    sentence: '"embeds[0].timestamp" must be an ISO 8601 time, not "20 Nov 2026"',
  },
  {
    what: 'an address whose host has no dot',
    change: embed({ title: 'a', url: 'http://uptime:3000/' }),
    status: 400,
    body: inForm('embeds.0.url', 'Not a well formed URL.'),
    sentence: '"embeds[0].url" must be an http or https URL whose host has a dot, not "http://uptime:3000/"',
  },
  {
    what: 'an unknown kind of mention',
    change: withFields({ allowed_mentions: { parse: ['here'] } }),
    status: 400,
    body: { code: 50_035 },
    sentence: '"allowed_mentions.parse[0]" must be one of "roles", "users", "everyone", not "here"',
  },
  {
    what: 'users allowed twice',
    change: withFields({ allowed_mentions: { parse: ['users'], users: ['42'] } }),
    status: 400,
    body: { code: 50_035 },
    sentence: '"allowed_mentions.users" must be empty when "parse" has "users"',
  },
  {
    what: 'a name with "Discord" in it',
    change: withFields({ username: 'Discord alerts' }),
    status: 400,
    body: { code: 50_035 },
    sentence: '"username" must be without "discord" and "clyde", not "Discord alerts"',
  },
]);
