export interface ScrapedSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)\{(.*)\} (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const UNESCAPED: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

/**
 * Parses the Prometheus text format 0.0.4 strictly: a metric's help, type, and samples must be in one group, no label
 * or series may be duplicated, and every line must end with a newline. Throws with the invalid line.
 */
export function readPrometheusText(text: string): ScrapedSample[] {
  const samples: ScrapedSample[] = [];
  const groups = new Set<string>();
  const series = new Set<string>();
  let group = '';
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('the last line does not end');
  lines.forEach((line, index) => {
    const fail = (why: string): never => {
      throw new Error(`line ${index + 1} ${why}: ${line.slice(0, 200)}`);
    };
    const help = /^# HELP (\S+) /.exec(line);
    if (help) {
      group = help[1] ?? '';
      if (groups.has(group)) fail('begins a group again');
      groups.add(group);
      if (lines[index + 1] !== `# TYPE ${group} gauge`) fail('is not followed by the type');
      return;
    }
    if (line === `# TYPE ${group} gauge`) return;
    const [, name = '', labelsText = '', number = ''] = SAMPLE.exec(line) ?? fail('is no sample');
    if (name !== group) fail('stands in the group of another metric');
    const labels = readLabels(labelsText) ?? fail('has wrong labels');
    if (number === '' || !Number.isFinite(Number(number))) fail('has no value');
    if (series.has(`${name}${JSON.stringify(labels)}`)) fail('is the second of its series');
    series.add(`${name}${JSON.stringify(labels)}`);
    samples.push({ name, labels, value: Number(number) });
  });
  return samples;
}

function readLabels(text: string): Record<string, string> | null {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name = '', value = ''] = LABEL.exec(text) ?? [];
    if (name === '' || name in labels) return null;
    labels[name] = value.replace(/\\["\\n]/g, (escape) => UNESCAPED[escape] ?? escape);
  }
  return labels;
}
