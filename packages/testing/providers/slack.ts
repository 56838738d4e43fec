import { type BrokenRule, httpDouble, type HttpProviderFake } from '../channel/provider-double';
import type { ReceivedRequest } from '../servers/fake-provider';
import { type Data, Rules } from './rules';

const PATH = '/services/T0CANARY1/B0CANARY2/canary-slack-token';

/** Every credential in the `fakeSlack` config. */
export const SLACK_SECRETS: readonly string[] = ['canary-slack-token', PATH];

/**
 * Starts a fake of Slack's incoming webhooks, with JSON bodies. A wrong token returns 403 `invalid_token`, and any
 * other path returns 404 `no_service`. Sources:
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks ("Handling errors"),
 * https://docs.slack.dev/reference/block-kit/blocks, and https://docs.slack.dev/reference/methods/chat.postMessage
 * (`text`).
 */
export const fakeSlack = (): Promise<HttpProviderFake> =>
  httpDouble({
    name: 'Slack',
    config: (url) => ({ webhook_url: url + PATH }),
    success: { status: 200, body: 'ok' },
    errorBody: (_status, text) => text,
    brokenRules,
  });

const MAX_ATTACHMENTS = 100;
/** Slack truncates longer text, so the rest would be lost without an error. */
const MAX_TEXT = 40_000;

function brokenRules(request: ReceivedRequest): readonly BrokenRule[] {
  const rules = new Rules({ vendor: 'Slack', status: 400, error: () => 'invalid_payload' });
  if (!isAddressed(request, rules)) return rules.broken;
  const body = rules.json(request);
  if (!body) return rules.broken;

  const { text, attachments, blocks } = body;
  const isEmpty = [text, blocks, attachments].every((part) => part === undefined || part === '');
  rules.must(!isEmpty, '', 'a message with text, blocks or attachments', body, { error: 'no_text' });
  rules.text('text', text, { min: 0, max: MAX_TEXT }, { error: 'msg_too_long' });
  for (const name of ['channel', 'username', 'icon_emoji', 'thread_ts']) rules.text(name, body[name], { max: 255 });
  rules.url('icon_url', body['icon_url']);
  for (const name of ['mrkdwn', 'unfurl_links', 'unfurl_media', 'link_names']) rules.flag(name, body[name]);
  slackBlocks(rules, 'blocks', blocks);
  for (const { at, item } of rules.records('attachments', attachments, MAX_ATTACHMENTS, {
    error: 'too_many_attachments',
  })) {
    const color = {
      max: 7,
      pattern: /^(?:good|warning|danger|#[0-9a-f]{6})$/i,
      form: 'good, warning, danger or #rrggbb',
    };
    rules.text(`${at}.color`, item['color'], color);
    for (const name of ['fallback', 'text', 'pretext', 'title'])
      rules.text(`${at}.${name}`, item[name], { max: MAX_TEXT });
    slackBlocks(rules, `${at}.blocks`, item['blocks']);
  }
  return rules.broken;
}

function isAddressed({ method, path }: ReceivedRequest, rules: Rules): boolean {
  const isToken = path.startsWith(PATH.slice(0, PATH.lastIndexOf('/') + 1));
  const refusal = isToken ? { status: 403, error: 'invalid_token' } : { status: 404, error: 'no_service' };
  const isKnown = rules.must(path === PATH, '', `to the webhook's own path`, path, refusal);
  return isKnown && rules.must(method === 'POST', '', 'a POST', method);
}

const INVALID = { error: 'invalid_blocks' };
const MAX_BLOCKS = 50;
const MAX_ID = 255;

/**
 * The required properties for each block type. https://docs.slack.dev/reference/block-kit/blocks lists them with their
 * limits.
 */
const BLOCKS: Readonly<Record<string, (rules: Rules, at: string, block: Data) => void>> = {
  section: (rules, at, { text, fields }) => {
    rules.must(
      text !== undefined || fields !== undefined,
      at,
      'a section with text or fields',
      { text, fields },
      INVALID,
    );
    textObject(rules, `${at}.text`, text, { max: 3000 });
    const objects = rules.records(`${at}.fields`, fields, 10, INVALID);
    rules.must(fields === undefined || objects.length > 0, `${at}.fields`, '1 to 10 fields', fields, INVALID);
    for (const { at: field, item } of objects) textObject(rules, field, item, { max: 2000 });
  },
  header: (rules, at, { text }) => {
    if (rules.required(`${at}.text`, text, INVALID)) textObject(rules, `${at}.text`, text, { max: 150, isPlain: true });
  },
  context: (rules, at, { elements }) => {
    const objects = rules.records(`${at}.elements`, elements, 10, INVALID);
    rules.must(objects.length > 0, `${at}.elements`, '1 to 10 elements', elements, INVALID);
    for (const { at: element, item } of objects)
      if (item['type'] !== 'image') textObject(rules, element, item, { max: 3000 });
  },
  actions: (rules, at, { elements }) => {
    const objects = rules.records(`${at}.elements`, elements, 25, INVALID);
    rules.must(objects.length > 0, `${at}.elements`, '1 to 25 elements', elements, INVALID);
  },
  image: (rules, at, { image_url, slack_file, alt_text }) => {
    const has = image_url !== undefined || slack_file !== undefined;
    rules.must(has, at, 'an image with image_url or slack_file', { image_url, slack_file }, INVALID);
    if (rules.text(`${at}.image_url`, image_url, { max: 3000 }, INVALID))
      rules.url(`${at}.image_url`, image_url, INVALID);
    rules.text(`${at}.alt_text`, alt_text, { max: 2000, required: true }, INVALID);
  },
  markdown: (rules, at, { text }) => void rules.text(`${at}.text`, text, { max: 12_000, required: true }, INVALID),
  rich_text: (rules, at, { elements }) => void rules.list(`${at}.elements`, elements, 1000, INVALID),
  divider: () => {},
  table: () => {},
  video: () => {},
};

/** Validates a list of blocks, if there is one. Broken rules are `invalid_blocks`. */
function slackBlocks(rules: Rules, path: string, value: unknown): void {
  const seen = new Set<unknown>();
  for (const { at, item } of rules.records(path, value, MAX_BLOCKS, INVALID)) {
    const { type, block_id: id } = item;
    rules.choice(`${at}.type`, type ?? null, Object.keys(BLOCKS), INVALID);
    if (rules.text(`${at}.block_id`, id, { max: MAX_ID }, INVALID)) {
      rules.must(!seen.has(id), `${at}.block_id`, 'unique in its message', id, INVALID);
      seen.add(id);
    }
    if (typeof type === 'string') BLOCKS[type]?.(rules, at, item);
  }
}

/** Validates a text object: https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
function textObject(
  rules: Rules,
  at: string,
  value: unknown,
  { max, isPlain = false }: { max: number; isPlain?: boolean },
) {
  const text = rules.record(at, value, INVALID);
  if (!text) return;
  rules.choice(`${at}.type`, text['type'] ?? null, isPlain ? ['plain_text'] : ['plain_text', 'mrkdwn'], INVALID);
  rules.text(`${at}.text`, text['text'], { max, required: true }, INVALID);
  const isMrkdwn = text['type'] === 'mrkdwn';
  rules.must(!isMrkdwn || text['emoji'] === undefined, `${at}.emoji`, 'absent in mrkdwn', text['emoji'], INVALID);
  rules.must(
    isMrkdwn || text['verbatim'] === undefined,
    `${at}.verbatim`,
    'absent in plain_text',
    text['verbatim'],
    INVALID,
  );
}
