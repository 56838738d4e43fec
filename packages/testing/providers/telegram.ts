import { type BrokenRule, httpDouble, type HttpProviderFake, recordOf } from '../channel/provider-double';
import type { ReceivedRequest, ScriptedResponse } from '../servers/fake-provider';
import { Rules } from './rules';
import { readTelegramHtml } from './telegram-html';

const TOKEN = '123456789:AAcanary-telegram-token';
const CHAT = '-1001234567890';

/** Every credential in the `fakeTelegram` config, and its chat. */
export const TELEGRAM_SECRETS: readonly string[] = [TOKEN, CHAT];

/** A Telegram bot with one chat. */
export interface TelegramFake extends HttpProviderFake {
  /**
   * Turns the chat into a supergroup. Until `verify`, messages to its old ID are rejected with an error that contains
   * the new ID (https://core.telegram.org/bots/api#responseparameters).
   */
  becomeSupergroup(chatId: number): void;
}

/**
 * Starts a fake of `sendMessage` in Telegram's Bot API, with JSON bodies. A wrong token returns 401 `Unauthorized`, and
 * another chat returns 400 `Bad Request: chat not found`. Sources: https://core.telegram.org/bots/api#sendmessage and
 * #html-style. The error texts are from https://github.com/tdlib/telegram-bot-api. Text in the two Markdown modes isn't
 * parsed. Only its length is checked.
 */
export async function fakeTelegram(): Promise<TelegramFake> {
  let supergroup: number | null = null;
  const fake = await httpDouble({
    name: 'Telegram',
    config: (url) => ({ bot_token: TOKEN, chat_id: CHAT, api_url: url }),
    success: (request) => (supergroup !== null && chatOf(request) === CHAT ? migratedTo(supergroup) : sent(request)),
    errorBody,
    brokenRules: (request) => brokenRules(request, [CHAT, String(supergroup)]),
  });
  return {
    ...fake,
    becomeSupergroup: (chatId) => void (supergroup = chatId),
    verify: () => {
      supergroup = null;
      fake.verify();
    },
  };
}

const errorBody = (status: number, text: string): string =>
  JSON.stringify({ ok: false, error_code: status, description: text });

const chatOf = ({ body }: ReceivedRequest): string => String(recordOf(body)?.['chat_id']);

function migratedTo(chatId: number): ScriptedResponse {
  const description = 'Bad Request: group chat was upgraded to a supergroup chat';
  const body = { ok: false, error_code: 400, description, parameters: { migrate_to_chat_id: chatId } };
  return { status: 400, body: JSON.stringify(body) };
}

function sent({ body }: ReceivedRequest): ScriptedResponse {
  const { chat_id, text } = JSON.parse(body) as { chat_id: string | number; text: string };
  const result = { message_id: 7, date: 1_763_640_000, chat: { id: Number(chat_id), type: 'supergroup' }, text };
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ok: true, result }) };
}

const MAX_TEXT = 4096;
const MODES = ['HTML', 'MarkdownV2', 'Markdown'];

function brokenRules(request: ReceivedRequest, chats: readonly string[]): readonly BrokenRule[] {
  const error = (path: string): string => `Bad Request: invalid ${path || 'request'}`;
  const rules = new Rules({ vendor: 'Telegram', status: 400, error });
  if (!isAddressed(request, rules)) return rules.broken;
  const body = rules.json(request, { error: "Bad Request: can't parse the body" });
  if (!body) return rules.broken;

  const { chat_id: chat, text, parse_mode: mode } = body;
  if (rules.required('chat_id', chat, { error: 'Bad Request: chat_id is empty' }))
    rules.must(chats.includes(String(chat)), 'chat_id', 'a chat that the bot is in', chat, {
      error: 'Bad Request: chat not found',
    });
  const isKnownMode = mode === undefined || (typeof mode === 'string' && MODES.includes(mode));
  rules.must(isKnownMode, 'parse_mode', `one of ${MODES.join(', ')}`, mode, {
    error: 'Bad Request: unsupported parse_mode',
  });
  if (rules.text('text', text, { max: Infinity, required: true }, { error: 'Bad Request: message text is empty' }))
    judgeText(rules, text, mode);
  rules.integer('message_thread_id', body['message_thread_id'], 1, 2_147_483_647, {
    error: 'Bad Request: message thread not found',
  });
  for (const name of ['disable_notification', 'protect_content']) rules.flag(name, body[name]);
  const preview = rules.record('link_preview_options', body['link_preview_options']);
  rules.flag('link_preview_options.is_disabled', preview?.['is_disabled']);
  return rules.broken;
}

function judgeText(rules: Rules, text: string, mode: unknown): void {
  const read = mode === 'HTML' ? readTelegramHtml(text) : { shown: text };
  if ('error' in read) {
    const error = `Bad Request: can't parse entities: ${read.error}`;
    rules.must(false, 'text', `HTML as Telegram reads it (${read.error})`, text, { error });
    return;
  }
  const { length } = read.shown.trim();
  rules.must(length > 0, 'text', 'more than markup and blanks', text, { error: 'Bad Request: message text is empty' });
  const tooLong = { error: 'Bad Request: message is too long' };
  rules.must(length <= MAX_TEXT, 'text', `at most ${MAX_TEXT} characters without its markup`, length, tooLong);
}

function isAddressed({ method, path }: ReceivedRequest, rules: Rules): boolean {
  const [, token, call] = /^\/bot([^/]+)\/([A-Za-z]+)$/.exec(path) ?? [];
  const unknown = { status: 404, error: 'Not Found' };
  const isCall = rules.must(call?.toLowerCase() === 'sendmessage', '', 'a call of sendMessage', path, unknown);
  const isOurs =
    isCall &&
    rules.must(token === TOKEN, '', "made with the bot's token", path, { status: 401, error: 'Unauthorized' });
  return isOurs && rules.must(method === 'POST', '', 'a POST', method, unknown);
}
