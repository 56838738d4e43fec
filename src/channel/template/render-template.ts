import { cut } from '../../platform/text/text-limits';
import { type JsonValue, type TemplateValues, textOf, valueAt } from './json-value';
import { templateParts } from './template-text';

/** The key of an object that stands for one of its branches. */
export const SWITCH = '$switch';
/** The branch that applies if no other one does. */
export const DEFAULT = 'default';
/** The maximum size of a rendered body in bytes. */
export const MAX_RENDERED = 64 * 1024;

/** How a body is sent. */
export const ENCODINGS = ['json', 'form'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A request body with its content type. */
export interface RenderedBody {
  contentType: string;
  body: string;
}

/**
 * Fills in a template and serializes the result, so that a value can never become anything but a value. The result has
 * at most 64 KiB. Values that do not fit are cut. With `withoutEmpty`, properties without a value are left out.
 */
export function renderBody(
  template: JsonValue,
  values: TemplateValues,
  encoding: Encoding,
  { withoutEmpty = false } = {},
): RenderedBody {
  const whole = fill(template, values, new Room(encoding, template));
  const filled = withoutEmpty && whole !== undefined ? pruned(whole) : whole;
  if (encoding === 'json')
    return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(filled ?? null) };
  const fields = typeof filled === 'object' && filled !== null ? Object.entries(filled) : [];
  const form = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, wellFormed(textOf(value))]));
  return { contentType: 'application/x-www-form-urlencoded; charset=utf-8', body: form.toString() };
}

/** Returns the value of a template, or `undefined` for a choice without a branch. */
function fill(template: JsonValue, values: TemplateValues, room: Room): JsonValue | undefined {
  if (typeof template === 'string') return filledText(template, values, room);
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template))
    return template.flatMap((item): JsonValue[] => {
      const filled = fill(item, values, room);
      return filled === undefined ? [] : [filled];
    });
  const path = template[SWITCH];
  if (typeof path === 'string') {
    const branch = branchFor(template, textOf(valueAt(values, path.trim())));
    return branch === undefined ? undefined : fill(branch, values, room);
  }
  return Object.fromEntries(
    Object.entries(template).flatMap(([key, value]): [string, JsonValue][] => {
      const filled = fill(value, values, room);
      return filled === undefined ? [] : [[key, filled]];
    }),
  );
}

/** Returns the value without properties that are empty strings, or objects of nothing else. */
function pruned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(pruned);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, each]): [string, JsonValue][] => {
    const part = pruned(each);
    return part === '' ? [] : [[key, part]];
  });
  return kept.length === 0 && Object.keys(value).length > 0 ? '' : Object.fromEntries(kept);
}

function branchFor(template: Readonly<Record<string, JsonValue>>, value: string): JsonValue | undefined {
  if (value !== SWITCH && value !== DEFAULT && Object.hasOwn(template, value)) return template[value];
  return Object.hasOwn(template, DEFAULT) ? template[DEFAULT] : undefined;
}

function filledText(template: string, values: TemplateValues, room: Room): JsonValue {
  const parts = templateParts(template);
  if (parts === null) return template;
  const [first, ...others] = parts;
  if (first !== undefined && typeof first !== 'string' && others.length === 0) {
    const value = valueAt(values, first.path);
    if (typeof value !== 'string') return room.take(plain(value));
  }
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return room.takeText(textOf(valueAt(values, part.path)));
    })
    .join('');
}

/** A value that is missing becomes an empty string. */
const plain = (value: unknown): JsonValue => (value === undefined || value === null ? '' : (value as JsonValue));

/** `URLSearchParams` replaces half of a surrogate pair, and `encodeURIComponent` refuses it. */
export const wellFormed = (text: string): string =>
  text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');

/** The bytes that the values of one body may still take. */
class Room {
  private left: number;

  constructor(
    private readonly encoding: Encoding,
    template: JsonValue,
  ) {
    this.left = MAX_RENDERED - this.sizeOf(JSON.stringify(template));
  }

  /** Returns the text, or as much of its start as there is room for. */
  takeText(text: string): string {
    if (text === '' || this.left <= 0) return '';
    const whole = this.costOf(text);
    if (whole <= this.left) {
      this.left -= whole;
      return text;
    }
    let [low, high] = [0, text.length];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.costOf(text.slice(0, middle)) <= this.left) low = middle;
      else high = middle - 1;
    }
    this.left = 0;
    return cut(text, low, '');
  }

  /** Returns a value that is not a string, or an empty string if there is no room for it. */
  take(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.takeText(value);
    const cost = this.sizeOf(JSON.stringify(value));
    if (cost > this.left) return '';
    this.left -= cost;
    return value;
  }

  private costOf(text: string): number {
    return this.encoding === 'json' ? Buffer.byteLength(JSON.stringify(text)) - 2 : this.sizeOf(text);
  }

  private sizeOf(text: string): number {
    return this.encoding === 'json' ? Buffer.byteLength(text) : encodeURIComponent(wellFormed(text)).length;
  }
}
