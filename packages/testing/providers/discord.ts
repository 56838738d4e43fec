import { type BrokenRule, httpDouble, type HttpProviderFake } from '../channel/provider-double';
import type { ReceivedRequest, ScriptedResponse } from '../servers/fake-provider';
import { type Data, type Fault, Rules, webUrl } from './rules';

const WEBHOOK = '/api/webhooks/110000000000000001';
const TOKEN = 'canary-discord-token';
const PATH = `${WEBHOOK}/${TOKEN}`;

/** Every credential in the `fakeDiscord` config. */
export const DISCORD_SECRETS: readonly string[] = [TOKEN, PATH];

/**
 * Starts a fake of Discord's webhooks. With `wait=true`, success is 200 with the saved message. Otherwise, it is 204. A
 * wrong token returns 401 with code 50027, and an unknown webhook returns 404 with 10015. An invalid body returns 400
 * with 50035, with each error at its field. Sources:
 * https://discord.com/developers/docs/resources/webhook#execute-webhook,
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits, and
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#json-json-error-codes.
 */
export const fakeDiscord = (): Promise<HttpProviderFake> =>
  httpDouble({
    name: 'Discord',
    config: (url) => ({ webhook_url: url + PATH }),
    success: saved,
    errorBody: (_status, text) => JSON.stringify({ message: text, code: 0 }),
    brokenRules,
    refusal,
  });

function saved({ path, body }: ReceivedRequest): ScriptedResponse {
  if (queryOf(path).get('wait') !== 'true') return { status: 204 };
  const { content = '', embeds = [] } = JSON.parse(body) as { content?: string; embeds?: unknown[] };
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify({ id: '1', type: 0, content, embeds }) };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const INVALID_FORM = 50_035;
const SNOWFLAKE = { max: 20, pattern: /^\d{15,20}$/, form: 'a snowflake, which is 15 to 20 digits' };

/** Returns Discord's form error, with code and text in one string. */
function wordsOf(_path: string, { kind, expected, max }: Fault): string {
  if (kind === 'required') return 'BASE_TYPE_REQUIRED: This field is required';
  if (kind === 'length') return `BASE_TYPE_MAX_LENGTH: Must be ${max} or fewer in length.`;
  return `BASE_TYPE_BAD_VALUE: Must be ${expected}.`;
}

function brokenRules(request: ReceivedRequest): readonly BrokenRule[] {
  const rules = new Rules({ vendor: 'Discord', status: 400, code: INVALID_FORM, error: wordsOf });
  if (!isAddressed(request, rules)) return rules.broken;
  const query = queryOf(request.path);
  rules.choice('wait', query.get('wait') ?? undefined, ['true', 'false']);
  rules.text('thread_id', query.get('thread_id') ?? undefined, SNOWFLAKE);
  const body = rules.json(request, { code: 50_109, error: 'The request body contains invalid JSON.' });
  if (!body) return rules.broken;

  const { content, embeds, username } = body;
  const isEmpty = (content ?? '') === '' && (!Array.isArray(embeds) || embeds.length === 0);
  rules.must(!isEmpty, '', 'a message with content or embeds', body, {
    code: 50_006,
    error: 'Cannot send an empty message',
  });
  rules.text('content', content ?? undefined, { min: 0, max: 2000 });
  rules.text('username', username, {
    max: 80,
    pattern: /^(?!.*(?:discord|clyde))/i,
    form: 'without "discord" and "clyde"',
  });
  rules.url('avatar_url', body['avatar_url']);
  rules.flag('tts', body['tts']);
  allowedMentions(rules, body['allowed_mentions']);
  discordEmbeds(rules, embeds);
  return rules.broken;
}

function isAddressed({ method, path }: ReceivedRequest, rules: Rules): boolean {
  const [route = ''] = path.split('?');
  const refusal = route.startsWith(`${WEBHOOK}/`)
    ? { status: 401, code: 50_027, error: 'Invalid Webhook Token' }
    : { status: 404, code: 10_015, error: 'Unknown Webhook' };
  const isKnown = rules.must(route === PATH, '', "to the webhook's own path", route, refusal);
  const wrongMethod = { status: 405, code: 0, error: '405: Method Not Allowed' };
  return isKnown && rules.must(method === 'POST', '', 'a POST', method, wrongMethod);
}

const MENTIONS = ['roles', 'users', 'everyone'];

/** https://discord.com/developers/docs/resources/message#allowed-mentions-object */
function allowedMentions(rules: Rules, value: unknown): void {
  const mentions = rules.record('allowed_mentions', value);
  if (!mentions) return;
  const parse = rules.list('allowed_mentions.parse', mentions['parse'], MENTIONS.length);
  parse.forEach((kind, index) => rules.choice(`allowed_mentions.parse[${index}]`, kind, MENTIONS));
  for (const kind of ['roles', 'users']) {
    const path = `allowed_mentions.${kind}`;
    const ids = rules.list(path, mentions[kind], 100);
    const isBoth = ids.length > 0 && parse.includes(kind);
    rules.must(!isBoth, path, `empty when "parse" has "${kind}"`, ids);
    ids.forEach((id, index) => rules.text(`${path}[${index}]`, id, { max: 20, pattern: /^\d+$/, form: 'a snowflake' }));
  }
}

const MAX_EMBEDS = 10;
const MAX_FIELDS = 25;
/** The limit for all text in all embeds combined. */
const MAX_TOTAL = 6000;

/** Validates embeds: https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
function discordEmbeds(rules: Rules, value: unknown): void {
  const embeds = rules.records('embeds', value, MAX_EMBEDS);
  const total = embeds.reduce((sum, { at, item }) => sum + lengthOfEmbed(rules, at, item), 0);
  rules.must(total <= MAX_TOTAL, 'embeds', `at most ${MAX_TOTAL} characters in all`, total, {
    error: `MAX_EMBED_SIZE_EXCEEDED: Embed size exceeds maximum size of ${MAX_TOTAL}`,
  });
}

function lengthOfEmbed(rules: Rules, at: string, embed: Data): number {
  rules.text(`${at}.title`, embed['title'], { max: 256 });
  rules.text(`${at}.description`, embed['description'], { max: 4096 });
  rules.integer(`${at}.color`, embed['color'], 0, 0xff_ff_ff);
  linkOf(rules, `${at}.url`, embed['url']);
  const time = {
    max: 40,
    pattern: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/,
    form: 'an ISO 8601 time',
  };
  rules.text(`${at}.timestamp`, embed['timestamp'], time);
  const footer = rules.record(`${at}.footer`, embed['footer']) ?? {};
  if (embed['footer'] !== undefined) rules.text(`${at}.footer.text`, footer['text'], { max: 2048, required: true });
  const author = rules.record(`${at}.author`, embed['author']) ?? {};
  if (embed['author'] !== undefined) rules.text(`${at}.author.name`, author['name'], { max: 256, required: true });
  const fields = rules.records(`${at}.fields`, embed['fields'], MAX_FIELDS).map(({ at: field, item }) => {
    rules.text(`${field}.name`, item['name'], { max: 256, required: true });
    rules.text(`${field}.value`, item['value'], { max: 1024, required: true });
    rules.flag(`${field}.inline`, item['inline']);
    return item;
  });
  const texts = [embed['title'], embed['description'], footer['text'], author['name']];
  for (const { name, value } of fields) texts.push(name, value);
  return texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0);
}

/** Discord rejects URLs whose host has no dot. */
function linkOf(rules: Rules, at: string, value: unknown): void {
  const host = typeof value === 'string' ? webUrl(value)?.hostname : undefined;
  const fits = value === undefined || host?.includes('.') === true;
  rules.must(fits, at, 'an http or https URL whose host has a dot', value, {
    error: 'URL_TYPE_INVALID_URL: Not a well formed URL.',
  });
}

/** Puts each form error at the path of its value: `errors.embeds.0.title._errors`. */
function refusal(broken: readonly [BrokenRule, ...BrokenRule[]]): ScriptedResponse {
  const [{ status, code, error }] = broken;
  if (code !== INVALID_FORM) return { status, headers: JSON_TYPE, body: JSON.stringify({ message: error, code }) };
  const errors: ErrorTree = {};
  for (const rule of broken) if (rule.code === INVALID_FORM) addError(errors, rule);
  const body = JSON.stringify({ message: 'Invalid Form Body', code, errors });
  return { status, headers: JSON_TYPE, body };
}

interface ErrorTree {
  [key: string]: ErrorTree | { code: string; message: string }[];
}

function addError(tree: ErrorTree, { path, error }: BrokenRule): void {
  let node = tree;
  for (const key of path.split(/[.[\]]+/).filter(Boolean)) {
    const next = node[key];
    node = Array.isArray(next) || next === undefined ? (node[key] = {}) : next;
  }
  const [code = '', message = ''] = error.split(': ');
  node['_errors'] = [{ code, message }];
}

const queryOf = (path: string): URLSearchParams => new URLSearchParams(path.split('?')[1] ?? '');
