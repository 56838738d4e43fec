/** V8 prepares no more than this of what it looks for: a longer text may take time text × target (measured: 215 ms for 1 MiB). */
const PREPARED = 250;

/** Whether a text contains another one, in time linear in both whatever they are. */
export function includesText(text: string, target: string): boolean {
  if (target.length <= PREPARED || text.length < 8 * target.length) return text.includes(target);
  const borders = bordersOf(target);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && target.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (target.charCodeAt(matched) === unit) matched += 1;
    if (matched === target.length) return true;
  }
  return false;
}

/** For each beginning of a text the length of its longest proper end that is a beginning too (Knuth, Morris and Pratt). */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}
