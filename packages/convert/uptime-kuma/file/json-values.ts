export interface JsonValue {
  text: string;
  /** The line of the first character, starting at 1. */
  line: number;
  /** The lines of the objects in its lists (such as `rows`), in order. */
  rowLines: number[];
}

/**
 * Splits a text into its concatenated JSON objects, which may span lines. Anything else, including an incomplete
 * object, is returned unchanged. Cost: one pass over the text.
 */
export function jsonValues(text: string): JsonValue[] {
  const values: JsonValue[] = [];
  let [depth, line, start, startLine] = [0, 1, 0, 1];
  let rowLines: number[] = [];
  const finish = (end: number): void => {
    const value = text.slice(start, end).trim();
    if (value !== '') values.push({ text: value, line: startLine, rowLines });
    [start, rowLines] = [end, []];
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '\n') line++;
    else if (character === '"' && depth > 0) i = endOfString(text, i);
    else if (character === '{' || character === '[') {
      if (depth === 0) {
        finish(i);
        startLine = line;
      } else if (depth === 2 && character === '{') rowLines.push(line);
      depth++;
    } else if ((character === '}' || character === ']') && depth > 0) {
      depth--;
      if (depth === 0) finish(i + 1);
    }
  }
  if (text.slice(start).trim() !== '') finish(text.length);
  return values;
}

/** Returns the position of the closing quote. SQLite never writes line breaks in strings. */
function endOfString(text: string, from: number): number {
  for (let i = from + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"' || text[i] === '\n') return text[i] === '"' ? i : i - 1;
  }
  return text.length;
}
