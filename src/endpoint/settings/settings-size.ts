import type { Assertion } from '../../checker/assertion/assertion';
import type { FieldProblem } from '../../platform/problem/problem';

const MAX_HEADER_VALUES = 16 * 1024;
const MAX_TOTAL = 32 * 1024;

/** The settings that take up memory in every process that runs the check. Values are not encrypted. */
export interface SizedSettings {
  headers: readonly { key: string; value: string }[];
  body: string | null;
  assertions: readonly Assertion[];
}

/**
 * Returns a problem if the settings are too large. The limits are 16 KiB for all header values, and 32 KiB for headers,
 * body, and assertions combined. Stored settings that already exceed a limit may be kept or shrink. The pointer refers
 * to the largest part. The message doesn't reveal the size, because a read key can run a plan and would learn the
 * length of values that it cannot see.
 */
export function sizeProblems(settings: SizedSettings, stored: SizedSettings | null): FieldProblem[] {
  const [now, before] = [sizesOf(settings), stored && sizesOf(stored)];
  const found: FieldProblem[] = [];
  if (now.headerValues > MAX_HEADER_VALUES && now.headerValues >= (before?.headerValues ?? 0)) {
    const message = `the values of all headers may have at most ${MAX_HEADER_VALUES} bytes together`;
    found.push({ pointer: '/headers', code: 'too_long', message });
  }
  const total = totalOf(now);
  if (total > MAX_TOTAL && (before === null || total >= totalOf(before))) {
    const parts = (['headers', 'body', 'assertions'] as const).toSorted((a, b) => now[b] - now[a]);
    const message = `headers, body and assertions may have at most ${MAX_TOTAL} bytes together`;
    found.push({ pointer: `/${parts[0]}`, code: 'too_long', message });
  }
  return found;
}

interface Sizes {
  headerValues: number;
  headers: number;
  body: number;
  assertions: number;
}

/** Returns the sizes in UTF-8 bytes. */
const sizesOf = ({ headers, body, assertions }: SizedSettings): Sizes => ({
  headerValues: sum(headers.map(({ value }) => Buffer.byteLength(value))),
  headers: sum(headers.map(({ key, value }) => Buffer.byteLength(key) + Buffer.byteLength(value))),
  body: Buffer.byteLength(body ?? ''),
  assertions: Buffer.byteLength(JSON.stringify(assertions)),
});

const totalOf = ({ headers, body, assertions }: Sizes): number => headers + body + assertions;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
