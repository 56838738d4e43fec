import { JsonNumber, numberKey } from './json-number';

/** The number of array elements per node. */
const STRIDE = 3;
const END = 1;
const NEXT = 2;

const IS_KEY = 1;
const IS_ESCAPED = 2;
const FLAG_BITS = 2;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const ARRAY = 0x5b;
const ARRAY_END = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Thrown if the text isn't JSON (RFC 8259). */
export class NotJson extends Error {}

/** Thrown if reading the document takes more steps than allowed. */
export class TooComplex extends Error {}

/** An object or array. Other values are plain JavaScript values or `JsonNumber`. */
export class JsonContainer {
  constructor(
    readonly document: JsonDocument,
    readonly node: number,
  ) {}
}

/**
 * A JSON text from an untrusted source, readable without creating objects. It has one node per value and per member
 * name, in document order. Parsing and reading always take time linear in the text. `JSON.parse` takes ten times as
 * long for objects with different shapes or for deeply nested arrays. Reading is counted in steps of 10 to 40 ns, and
 * throws `TooComplex` after more steps than allowed. Initially, no steps are allowed. If several members have the same
 * name, the last one counts.
 */
export class JsonDocument {
  private steps = 0;

  constructor(
    private readonly text: string,
    private readonly nodes: Int32Array,
  ) {}

  /** Sets how many more steps may be taken. */
  allow(steps: number): void {
    this.steps = steps;
  }

  get left(): number {
    return this.steps;
  }

  /** Counts work that was or will be done. Throws: `TooComplex`. */
  spend(steps: number): void {
    this.steps -= steps;
    if (this.steps < 0) throw new TooComplex();
  }

  isObject(node: number): boolean {
    return this.kindOf(node) === OBJECT;
  }

  isArray(node: number): boolean {
    return this.kindOf(node) === ARRAY;
  }

  isContainer(node: number): boolean {
    return this.isObject(node) || this.isArray(node);
  }

  /** Returns the node that follows a value and everything inside it. */
  after(node: number): number {
    return this.at(node, NEXT);
  }

  /** Returns the first `limit` values in a container, in order. Returns an empty list for other values. */
  childrenOf(node: number, limit = Infinity): number[] {
    const children: number[] = [];
    const between = this.isObject(node) ? 1 : 0;
    if (between === 0 && !this.isArray(node)) return children;
    const end = this.after(node);
    this.spend(1);
    for (let child = node + 1 + between; child < end && children.length < limit; child = this.after(child) + between) {
      this.spend(1);
      children.push(child);
    }
    return children;
  }

  /** Returns the value of a member of an object, or `null` if there is none or the node isn't an object. */
  memberOf(node: number, name: string): number | null {
    if (!this.isObject(node)) return null;
    const end = this.after(node);
    let found: number | null = null;
    let steps = 1;
    for (let key = node + 1; key < end; key = this.after(key + 1)) {
      steps += 1;
      if (this.isNamed(key, name)) found = key + 1;
    }
    this.spend(steps);
    return found;
  }

  /**
   * Returns a string, boolean, or `null` as a JavaScript value, a number as a `JsonNumber`, and an object or array as a
   * `JsonContainer`.
   */
  valueOf(node: number): unknown {
    const start = this.at(node, 0);
    const flags = this.at(node, END);
    const end = flags >> FLAG_BITS;
    switch (this.kindOf(node)) {
      case OBJECT:
      case ARRAY:
        this.spend(2);
        return new JsonContainer(this, node);
      case QUOTE:
        this.spend(2 + ((end - start) >> 4));
        return this.stringAt(start, end, flags);
      case 0x74:
        return true;
      case 0x66:
        return false;
      case 0x6e:
        return null;
      default:
        this.spend(4 + ((end - start) >> 2));
        return new JsonNumber(this.text.slice(start, end));
    }
  }

  /**
   * Returns the text as `JSON.stringify` would write it, with members in their original order, truncated if longer than
   * `limit`. With `numbers: 'written'`, numbers keep their spelling. With `values`, numbers that a double represents
   * exactly are written as in JavaScript.
   */
  textOf(node: number, limit: number, numbers: 'written' | 'values' = 'written'): string {
    const last = this.after(node);
    const open: number[] = [];
    let written = '';
    for (let at = node; at < last && written.length <= limit; at++) {
      written += this.separator(at, node) + this.scalarText(at, limit, numbers);
      if (this.isContainer(at)) open.push(at);
      for (let top = open.at(-1); top !== undefined && this.after(top) === at + 1; top = open.at(-1)) {
        written += this.isObject(top) ? '}' : ']';
        open.pop();
      }
    }
    return written.slice(0, limit + 1);
  }

  private separator(node: number, first: number): string {
    if (node === first) return '';
    if (!this.isName(node) && this.isName(node - 1)) return ':';
    // The first element immediately follows its container.
    return this.isContainer(node - 1) && this.after(node - 1) > node ? '' : ',';
  }

  private scalarText(node: number, limit: number, numbers: 'written' | 'values'): string {
    this.spend(2);
    if (this.isObject(node)) return '{';
    if (this.isArray(node)) return '[';
    const start = this.at(node, 0);
    const length = (this.at(node, END) >> FLAG_BITS) - start;
    // An escape represents one character and has at most six, so this text exceeds the limit however it is written.
    if (length > 6 * (limit + 2)) return this.text.slice(start, start + limit + 2);
    this.spend(length >> 2);
    const value = this.valueOf(node);
    if (!(value instanceof JsonNumber)) return JSON.stringify(value);
    const key = numbers === 'written' ? null : numberKey(value);
    return typeof key === 'number' ? JSON.stringify(key) : value.text;
  }

  /** Member names are nodes, but not values. */
  private isName(node: number): boolean {
    return (this.at(node, END) & IS_KEY) !== 0;
  }

  private isNamed(key: number, name: string): boolean {
    const start = this.at(key, 0);
    const flags = this.at(key, END);
    const end = flags >> FLAG_BITS;
    if ((flags & IS_ESCAPED) === 0) return end - start - 2 === name.length && this.text.startsWith(name, start + 1);
    return this.stringAt(start, end, flags) === name;
  }

  /** Returns the decoded text of a name or a string. */
  stringOf(node: number): string {
    const start = this.at(node, 0);
    const flags = this.at(node, END);
    this.spend(1 + (((flags >> FLAG_BITS) - start) >> 5));
    return this.stringAt(start, flags >> FLAG_BITS, flags);
  }

  private stringAt(start: number, end: number, flags: number): string {
    if ((flags & IS_ESCAPED) === 0) return this.text.slice(start + 1, end - 1);
    this.spend(6 + ((end - start) >> 3));
    return JSON.parse(this.text.slice(start, end)) as string;
  }

  private kindOf(node: number): number {
    return this.text.charCodeAt(this.at(node, 0));
  }

  private at(node: number, part: number): number {
    return this.nodes[node * STRIDE + part] ?? 0;
  }
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

const isHex = (code: number): boolean =>
  isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);

const WORDS = ['true', 'false', 'null'] as const;

/**
 * Parses a text into a document, in pieces and without recursion, because a text may be nested as deep as it is long.
 */
export class JsonReader {
  private nodes: Int32Array;
  private count = 0;
  private at = 0;
  /** The innermost open container. While a container is open, its `NEXT` field refers to the enclosing container. */
  private open = -1;

  constructor(private readonly text: string) {
    this.nodes = new Int32Array(STRIDE * Math.max(16, text.length >> 3));
    this.skipBlanks();
  }

  /**
   * Reads about this many more characters, without interrupting a string. Returns `null` before the end of the text.
   * Throws: `NotJson`.
   */
  read(characters: number): JsonDocument | null {
    const until = this.at + characters;
    for (let goesOn = true; goesOn;) {
      if (this.at > until) return null;
      goesOn = !this.readValue() || this.goesOn();
    }
    if (this.at < this.text.length) throw new NotJson();
    return new JsonDocument(this.text, this.nodes);
  }

  /** Returns false at the start of a container, whose first value comes next. */
  private readValue(): boolean {
    const start = this.at;
    const code = this.text.charCodeAt(start);
    if (code === OBJECT || code === ARRAY) return this.beginContainer(code);
    if (code === QUOTE) {
      this.readString(0);
      return true;
    }
    if (code === MINUS || isDigit(code)) this.readNumber();
    else this.readWord();
    this.add(start, this.at << FLAG_BITS, this.count + 1);
    return true;
  }

  private beginContainer(code: number): boolean {
    this.add(this.at, 0, this.open);
    this.open = this.count - 1;
    this.at += 1;
    this.skipBlanks();
    // The character code of a closing bracket is the code of its opening bracket plus two.
    if (this.text.charCodeAt(this.at) === code + 2) {
      this.at += 1;
      this.endContainer();
      return true;
    }
    if (code === OBJECT) this.readName();
    return false;
  }

  private endContainer(): void {
    const place = this.open * STRIDE;
    this.open = this.nodes[place + NEXT] ?? -1;
    this.nodes[place + END] = this.at << FLAG_BITS;
    this.nodes[place + NEXT] = this.count;
  }

  /** Reads the text after a value and closes the containers that end there. Returns true if another value follows. */
  private goesOn(): boolean {
    this.skipBlanks();
    while (this.open >= 0) {
      const isObject = this.text.charCodeAt(this.nodes[this.open * STRIDE] ?? 0) === OBJECT;
      const code = this.text.charCodeAt(this.at);
      this.at += 1;
      if (code !== COMMA && code !== (isObject ? OBJECT_END : ARRAY_END)) throw new NotJson();
      if (code !== COMMA) this.endContainer();
      this.skipBlanks();
      if (code === COMMA) {
        if (isObject) this.readName();
        return true;
      }
    }
    return false;
  }

  private readName(): void {
    if (this.text.charCodeAt(this.at) !== QUOTE) throw new NotJson();
    this.readString(IS_KEY);
    this.skipBlanks();
    if (this.text.charCodeAt(this.at) !== COLON) throw new NotJson();
    this.at += 1;
    this.skipBlanks();
  }

  private readString(flags: number): void {
    const { text } = this;
    const start = this.at;
    let at = start + 1;
    let escaped = 0;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(++at)) {
      // Also true after the end of the text, where the code is NaN.
      if (!(code >= 0x20)) throw new NotJson();
      if (code !== BACKSLASH) continue;
      escaped = IS_ESCAPED;
      at = this.escapeEnd(at + 1);
    }
    this.at = at + 1;
    this.add(start, (this.at << FLAG_BITS) | flags | escaped, this.count + 1);
  }

  /** Returns the position of the last character of an escape whose second character is at `at`. */
  private escapeEnd(at: number): number {
    if (this.text[at] !== 'u') {
      if (!'"\\/bfnrt'.includes(this.text[at] ?? '?')) throw new NotJson();
      return at;
    }
    for (let digit = 1; digit <= 4; digit++) if (!isHex(this.text.charCodeAt(at + digit))) throw new NotJson();
    return at + 4;
  }

  private readNumber(): void {
    if (this.text.charCodeAt(this.at) === MINUS) this.at += 1;
    if (this.text.charCodeAt(this.at) === ZERO) this.at += 1;
    else this.readDigits();
    if (this.text[this.at] === '.') {
      this.at += 1;
      this.readDigits();
    }
    if (this.text[this.at] === 'e' || this.text[this.at] === 'E') {
      this.at += 1;
      if (this.text[this.at] === '+' || this.text[this.at] === '-') this.at += 1;
      this.readDigits();
    }
  }

  private readDigits(): void {
    const start = this.at;
    while (isDigit(this.text.charCodeAt(this.at))) this.at += 1;
    if (this.at === start) throw new NotJson();
  }

  private readWord(): void {
    const word = WORDS.find((known) => this.text.startsWith(known, this.at));
    if (word === undefined) throw new NotJson();
    this.at += word.length;
  }

  private skipBlanks(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  private add(start: number, end: number, next: number): void {
    const place = this.count * STRIDE;
    if (place === this.nodes.length) {
      const larger = new Int32Array(this.nodes.length * 2);
      larger.set(this.nodes);
      this.nodes = larger;
    }
    this.nodes[place] = start;
    this.nodes[place + END] = end;
    this.nodes[place + NEXT] = next;
    this.count += 1;
  }
}
