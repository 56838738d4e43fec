/** The text that a chat shows for HTML, or Telegram's error if it rejects the HTML. */
export type TelegramText = { shown: string } | { error: string };

/** Tags from https://core.telegram.org/bots/api#html-style. Only the last four have attributes. */
const TAGS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    ['b', 'strong', 'i', 'em', 'u', 'ins', 's', 'strike', 'del', 'pre', 'tg-spoiler'].map((name) => [name, /^$/]),
  ),
  span: /^ class="tg-spoiler"$/,
  a: /^ href="[^"<>]+"$/,
  code: /^(?: class="language-[^"<>]+")?$/,
  blockquote: /^(?: expandable)?$/,
  'tg-emoji': /^ emoji-id="\d+"$/,
};

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

/** Matches a tag, an entity, or a character that starts one. `rest` contains no such character. */
const TOKEN =
  /<(?<end>\/?)(?<tag>[a-zA-Z-]+)(?<attributes>(?:[^<>a-zA-Z-][^<>]*)?)>|&(?<entity>lt|gt|amp|quot|#\d{1,7}|#x[0-9a-fA-F]{1,6});|(?<loose>[<>&])/g;

/**
 * Parses text like `parse_mode: HTML` does. Rejects each `<`, `>`, and `&` that isn't part of a tag or entity, as the
 * manual requires. The real server accepts some of them.
 */
export function readTelegramHtml(text: string): TelegramText {
  const open: string[] = [];
  let shown = '';
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    const { end, tag = '', attributes = '', entity, loose } = match.groups ?? {};
    shown += text.slice(from, match.index);
    from = match.index + match[0].length;
    const at = `at byte offset ${Buffer.byteLength(text.slice(0, match.index))}`;
    if (loose !== undefined) return { error: `Character '${loose}' must be escaped ${at}` };
    if (entity !== undefined) shown += characterOf(entity);
    else if (end === '/') {
      const expected = open.pop();
      if (expected === undefined) return { error: `Unexpected end tag ${at}` };
      if (expected !== tag) return { error: `Unmatched end tag ${at}, expected "</${expected}>", found "</${tag}>"` };
    } else {
      if (!TAGS[tag]?.test(attributes)) return { error: `Unsupported start tag "${tag}${attributes}" ${at}` };
      open.push(tag);
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) return { error: `Can't find end tag corresponding to start tag "${unclosed}"` };
  return { shown: shown + text.slice(from) };
}

function characterOf(entity: string): string {
  if (!entity.startsWith('#')) return ENTITIES[entity] ?? '';
  const code = Number(entity.startsWith('#x') ? `0x${entity.slice(2)}` : entity.slice(1));
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
}
