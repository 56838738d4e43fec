export interface Sample {
  /** Comes from `labelText`. */
  readonly labels: string;
  readonly value: number;
}

/** A gauge with all its samples. The format requires a gauge's samples to be in one group. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly samples: Iterable<Sample>;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const escaped = (value: string): string => value.replace(/[\\"\n]/g, (sign) => ESCAPES[sign] ?? sign);
const escapedHelp = (help: string): string => help.replace(/[\\\n]/g, (sign) => ESCAPES[sign] ?? sign);

/**
 * Returns `a="x",b="y"`. Label names are trusted, but values come from users. As in Prometheus, an empty value is
 * equivalent to a missing label.
 */
export const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');

/** The maximum number of characters in a chunk. */
const PART = 64 * 1024;

/**
 * Yields Prometheus text format 0.0.4 in chunks of about 64 KiB, because the whole text may be too large for memory.
 */
export function* exposition(gauges: Iterable<Gauge>): Generator<string> {
  let part = '';
  for (const { name, help, samples } of gauges) {
    part += `# HELP ${name} ${escapedHelp(help)}\n# TYPE ${name} gauge\n`;
    for (const { labels, value } of samples) {
      part += `${name}{${labels}} ${value}\n`;
      if (part.length < PART) continue;
      yield part;
      part = '';
    }
  }
  if (part !== '') yield part;
}
