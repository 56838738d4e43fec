/** Milliseconds for each unit. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;

/** Returns a Go duration (`1h30m`, `1.5s`) in milliseconds, or `null`. A number without a unit is invalid, except 0. */
export function goDurationMs(text: string): number | null {
  const sign = text.startsWith('-') ? -1 : 1;
  const rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0;
  if (rest === '' || rest.length > 100) return null;
  let ms = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < rest.length) {
    const part = PART.exec(rest);
    if (!part) return null;
    ms += Number(part[1]) * (UNITS[part[2] ?? ''] ?? Number.NaN);
  }
  return Number.isFinite(ms) ? sign * ms : null;
}
