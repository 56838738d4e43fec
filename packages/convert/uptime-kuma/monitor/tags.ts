import { isTag, MAX_TAGS, tagSet } from '../../../../src/website/tags';
import { quoted } from './draft';
import type { Row } from '../file/row';

const MOST = 50;

/** Returns a monitor's tags (`name` or `name:value`) in a form that the API accepts. */
export function tagsOf(rows: readonly Row[]): { tags: string[]; difference: string | null } {
  const written = rows.map((row) => {
    const [name, value] = [row.text('name').trim(), row.text('value').trim()];
    return value === '' ? name : `${name}:${value}`;
  });
  const read = written.map((text) => ({ text, tag: tagOf(text) }));
  const tags = tagSet(read.flatMap(({ tag }) => tag ?? []));
  const changed = read.filter(({ text, tag }) => tag !== text.toLowerCase());
  const shown = changed
    .slice(0, 5)
    .map(({ text, tag }) => `${quoted(text, 50)} ${tag === null ? 'is left out' : `becomes ${tag}`}`);
  const differences = [
    ...(shown.length > 0 ? [`tags are spelled differently: ${shown.join(', ')}`] : []),
    ...(tags.length > MAX_TAGS ? [`only ${MAX_TAGS} of its ${tags.length} tags are kept`] : []),
  ];
  return { tags: tags.slice(0, MAX_TAGS), difference: differences.length === 0 ? null : differences.join('; ') };
}

/** Returns `null` if nothing is left of the tag. */
function tagOf(text: string): string | null {
  const tag = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._:/-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, MOST)
    .replace(/(?<![:-])[:-]+$/, '');
  return isTag(tag) ? tag : null;
}
