/** What a chat shows of a text in HTML mode, or why Telegram does not take it, in its own words. */
export type TelegramText = { shown: string } | { error: string };

/** Tags of https://core.telegram.org/bots/api#html-style; all but the last four have no attributes. */
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

/** A tag, an entity, or one of the characters that begin one; `rest` is what has none. */
const TOKEN =
  /<(?<end>\/?)(?<tag>[a-zA-Z-]+)(?<attributes>(?:[^<>a-zA-Z-][^<>]*)?)>|&(?<entity>lt|gt|amp|quot|#\d{1,7}|#x[0-9a-fA-F]{1,6});|(?<loose>[<>&])/g;

/**
 * Reads a text as `parse_mode: HTML` does. Each `<`, `>` and `&` that belongs to no tag and no entity is refused, as the manual
 * says, although the server lets some of them pass.
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
